import { setImmediate as nextTick } from 'node:timers/promises';
import { formatOfName, exportAs, type ExportFormat } from '../../conversation/export/format.ts';
import {
  titleOf,
  type Conversation,
  pathOf,
  textOf,
  type Turn,
  summarizedTurns,
  summaryOf,
} from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import { runTask, type SessionCore } from '../session/session-core.ts';
import type { Dialog, DialogChoice } from '../state/dialog.ts';
import type { Effect } from '../state/effect.ts';
import { notice, type Entry, failureEntry } from '../state/entry.ts';
import { newList } from '../conversation-list/answer-list.ts';
import type { ListEvent } from '../state/conversation-list.ts';
import { promptsOf, type PromptAndAnswer, conversationOf, messagesFor } from '../state/position.ts';
import { refusalNotice } from '../../output/notices.ts';
import { closingOf } from '../text/closing.ts';
import { sentEntries } from '../text/sent-prompt.ts';
import type { Message } from '../../client/contract.ts';
import { contextParts } from '../../conversation/compaction.ts';
import { contextWindow } from '../../conversation/context-fit.ts';
import { estimateTokens } from '../../conversation/token-estimate.ts';
import type { ReplState } from '../state/state.ts';
import { contextText, type ContextFigures } from '../text/context-text.ts';
import { cleanLine } from '../../commands/program/secrets.ts';

type ExportEffect = Extract<Effect, { readonly type: 'export' }>;

const formats: readonly {
  readonly format: ExportFormat;
  readonly name: string;
  readonly extension: string;
}[] = [
  { format: 'markdown', name: 'Markdown', extension: '.md' },
  { format: 'json', name: 'JSON', extension: '.json' },
  { format: 'html', name: 'HTML', extension: '.html' },
];

/** The word that names a format: its name or its extension. */
const formatOfWord = (word: string) =>
  formats.find(({ format, extension }) =>
    [format, extension.slice(1)].includes(word.toLowerCase()),
  );

/** UTF-16 units of a name from a title. */
const maxName = 40;

/** A file name from the title, without extension. */
function nameOf(conversation: Conversation): string {
  const words =
    titleOf(conversation)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  let name = '';
  for (const word of words) {
    const longer = name === '' ? word : `${name}-${word}`;
    if (longer.length > maxName) break;
    name = longer;
  }
  return name === '' ? conversation.id : name;
}

const cancel: DialogChoice = { key: 'cancel', label: 'write nothing' };

/** Asks for the format of a file without a known extension. */
function formatDialog(name: string): Dialog {
  const choices = formats.map((format): DialogChoice => {
    const argument = `${name}${format.extension}`;
    return { key: 'export', label: `${format.name}: ${argument}`, argument };
  });
  const title = 'export this conversation as';
  return { type: 'choice', title, choices: [...choices, cancel], selected: 0 };
}

/** `tea-2.md` for `tea.md`: the first such name without a file. */
function freeName({ files }: SessionCore, name: string): string {
  const dot = name.lastIndexOf('.');
  for (let number = 2; ; number += 1) {
    const other = `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
    const kind = files.kindOf(other);
    if (kind !== 'file' && kind !== 'folder') return other;
  }
}

function replaceDialog(core: SessionCore, name: string): Dialog {
  const other = freeName(core, name);
  return {
    type: 'choice',
    title: `${name} exists already`,
    choices: [
      { key: 'export', label: `write ${other}`, argument: other },
      { key: 'export', label: 'replace it', argument: name, replaces: true },
      cancel,
    ],
    selected: 0,
  };
}

/** `204 bytes`, `21 kB`, `1.2 MB`. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

async function exportTo(
  core: SessionCore,
  name: string,
  replaces: boolean,
): Promise<readonly Entry[]> {
  const conversation = core.journal().conversation();
  const format = formatOfName(name);
  if (format === undefined) {
    core.dispatch({ type: 'dialog-opened', dialog: formatDialog(name) });
    return [];
  }
  const pieces = await exportAs(conversation, format, { siblings: false });
  const written = core.files.writePrivate(name, pieces, replaces);
  if (written === undefined) {
    core.dispatch({ type: 'dialog-opened', dialog: replaceDialog(core, name) });
    return [];
  }
  const shown = formats.find((known) => known.format === format)?.name ?? format;
  return [notice(`exported to ${written.path} (${shown}, ${sizeText(written.bytes)})`)];
}

/** Exports the conversation; asks for the format, and before it replaces a file. */
export function runExport(core: SessionCore, { argument, replaces }: ExportEffect): Promise<void> {
  return runTask(core, async () => {
    const conversation = core.journal().conversation();
    if (conversation.turns.size === 0) {
      throw new Failure('usage', 'there is nothing to export yet', { hint: 'type a prompt first' });
    }
    const named = formatOfWord(argument);
    if (named !== undefined) {
      return exportTo(core, `${nameOf(conversation)}${named.extension}`, false);
    }
    return exportTo(core, argument === '' ? nameOf(conversation) : argument, replaces === true);
  });
}

type EffectOf<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

export async function runOpenList(
  core: SessionCore,
  { options, query = '' }: EffectOf<'open-list'>,
): Promise<void> {
  const stored = core.library.list();
  const entries = stored.entries();
  if (entries.length === 0) {
    throw new Failure('not_found', 'there is no conversation yet', {
      hint: 'the first prompt starts one',
    });
  }
  const rows = stored.read(entries, 0);
  const list = newList({ options, openedAt: core.context.clock.date(), entries, rows, query });
  core.dispatch({ type: 'list-opened', list });
}

export type ListEffect = EffectOf<'read-list' | 'search-list' | 'preview-conversation'>;

/** Reads a part of an open list, after keys and timers were handled. */
export async function runListEffect(core: SessionCore, effect: ListEffect): Promise<void> {
  await nextTick();
  const { entries } = effect;
  if (core.state().list?.entries !== entries) return;
  const stored = core.library.list();
  const read = (): ListEvent => {
    switch (effect.type) {
      case 'read-list':
        return { type: 'rows-read', entries, rows: stored.read(entries, effect.from) };
      case 'search-list': {
        const { from, query } = effect;
        const excerpts = stored.search(entries, from, query);
        return { type: 'texts-searched', entries, query, from, excerpts };
      }
      case 'preview-conversation':
      default: {
        const { entry } = effect;
        return { type: 'preview-read', entries, id: entry.id, turns: stored.preview(entry) };
      }
    }
  };
  core.dispatch({ type: 'list-changed', event: read() });
}

/** Prompts shown of a reopened conversation; more would push the composer far down. */
const maxPrompts = 3;

function answerEntries(answer: Turn | undefined): readonly Entry[] {
  if (answer === undefined || textOf(answer) === '') return [notice('no answer was received')];
  const { content: text, refusal, model } = answer;
  const isCut = answer.incomplete === true || answer.finishReason === 'length';
  return [
    ...(text === '' ? [] : [{ type: 'answer', text, model } as const]),
    ...(refusal === undefined ? [] : [notice(refusalNotice(refusal))]),
    ...(isCut ? [notice('cut off; /continue resumes it')] : []),
  ];
}

function promptEntries(conversation: Conversation, pair: PromptAndAnswer): readonly Entry[] {
  return [
    ...sentEntries(pair.prompt.content),
    ...answerEntries(pair.answer),
    ...closingOf(conversation, pair),
  ];
}

/** The conversation from `turnId` (a prompt or answer) to its end. */
export function entriesFrom(conversation: Conversation, turnId: string): readonly Entry[] {
  const pairs = promptsOf(pathOf(conversation));
  const first = pairs.findIndex(({ prompt, answer }) => [prompt.id, answer?.id].includes(turnId));
  return pairs.slice(first).flatMap((pair) => promptEntries(conversation, pair));
}

/** The last prompts and answers of a reopened conversation, below its id and title. */
export function showConversation(conversation: Conversation): readonly Entry[] {
  const pairs = promptsOf(pathOf(conversation));
  const shown = pairs.slice(-maxPrompts);
  const hidden = pairs.length - shown.length;
  const title = titleOf(conversation);
  const prompts = hidden === 1 ? '1 earlier prompt is' : `${hidden} earlier prompts are`;
  const earlier = hidden === 0 ? '' : `; ${prompts} not shown`;
  const head = notice(
    `conversation ${conversation.id}${title === '' ? '' : `: ${title}`}${earlier}`,
  );
  return [head, ...shown.flatMap((pair) => promptEntries(conversation, pair))];
}

/** Of the next request, without its prompt. */
function nextMessages(state: ReplState): readonly Message[] {
  const messages = messagesFor(conversationOf(state)).filter(({ role }) => role !== 'system');
  const { system = '' } = state.settings;
  return system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages];
}

function figuresOf(state: ReplState): ContextFigures {
  const { settings, service, context, attachments } = state;
  const conversation = conversationOf(state);
  const parts = contextParts(conversation, nextMessages(state));
  const path = pathOf(conversation);
  const summarized = summarizedTurns(conversation);
  return {
    model: settings.model,
    window: contextWindow(settings.model, service.windows),
    used: context.tokens,
    isEstimate: context.isEstimate,
    maxTokens: settings.maxTokens,
    parts,
    attached: {
      files: attachments.length,
      tokens: attachments.reduce((sum, { content }) => sum + estimateTokens(content), 0),
    },
    prompts: promptsOf(path.slice(summarized)).length,
    summarized: promptsOf(path.slice(0, summarized)).length,
    id: conversation.id,
  };
}

function summaryEntry(state: ReplState): Entry {
  const summary = summaryOf(conversationOf(state));
  if (summary === undefined) {
    return failureEntry('there is no summary', '/compact asks for one');
  }
  return { type: 'answer', text: summary.content, model: 'summary' };
}

export function runShowContext(core: SessionCore, shows: 'window' | 'summary'): Promise<void> {
  return runTask(core, async () => {
    const state = core.state();
    const name = state.settings.role;
    const role = name === undefined ? undefined : cleanLine(core.context, name);
    const isSummary = shows === 'summary';
    return [
      isSummary ? summaryEntry(state) : notice(contextText({ ...figuresOf(state), role }, state)),
    ];
  });
}
