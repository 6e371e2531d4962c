import { catalogue } from '../../client/contract.ts';
import { splitPrompt } from '../../conversation/compose-prompt.ts';
import {
  type Conversation,
  endingWith,
  isAnswer,
  systemOf,
  type Turn,
} from '../../conversation/tree.ts';
import { countOf, timeAgo } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { truncateToWidth } from '../../terminal/text/width.ts';
import { undoSummary } from '../context.ts';
import { keyOf } from '../composer/keys/key-bindings.ts';
import { shownText } from '../composer/paste.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import { entriesFrom, showConversation } from '../conversations/conversations.ts';
import {
  changeJournal,
  currentPath,
  isAnswered,
  lastPrompt,
  promptsOf,
  shownPath,
  versionsOf,
  withBranch,
  type PromptAndAnswer,
  updateConversation,
} from '../conversations/position.ts';
import { notice } from '../transcript/transcript.ts';
import { discardRestored, withFile } from '../files/attachments.ts';
import type { Session } from '../session.ts';
import { modelCandidates, refuseModelId } from '../settings.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, SessionSettings, Update } from '../state.ts';
import { andThen, printNotice, refuse, step, printing, task, offerChoices } from '../step.ts';
import { promptWithNames, withSent } from '../conversations/sent-prompt.ts';
import { startAnswer } from './send-prompt.ts';

/** The turns from one to the first, upwards. */
function upFrom({ turns }: Conversation, turnId: string): readonly Turn[] {
  const found: Turn[] = [];
  for (let turn = turns.get(turnId); turn !== undefined; turn = turns.get(turn.parent ?? ''))
    found.push(turn);
  return found;
}

/** Selects a version of the last prompt; or a branch, which is shown as a reopened conversation. */
export function selectTurn(
  session: Session,
  { turnId, isBranch }: { readonly turnId: string; readonly isBranch: boolean },
): Promise<void> {
  const journal = session.journal();
  const conversation = journal.conversation();
  for (const { id, parent } of upFrom(conversation, turnId)) {
    if (conversation.selection.get(parent) !== id) journal.select(id);
  }
  updateConversation(session);
  const state = session.state();
  return session.transcript.print(isBranch ? showConversation(state) : entriesFrom(state, turnId));
}

/** Numbers start at 1; `next` and `previous` wrap around. */
export type VersionChoice = 'next' | 'previous' | number;

export function hasVersions(state: ReplState): boolean {
  const pair = lastPrompt(shownPath(state));
  return pair !== undefined && versionsOf(state.conversation, pair).ends.length > 1;
}

const refuseEmpty = (state: ReplState) =>
  refuse(state, 'there is no prompt yet', 'type one and press Enter');

export function switchVersion(state: ReplState, choice: VersionChoice): Update {
  const pair = lastPrompt(shownPath(state));
  if (pair === undefined) return refuseEmpty(state);
  const { ends, index } = versionsOf(state.conversation, pair);
  if (ends.length < 2) {
    return refuse(state, 'there is only one version', '/retry or /edit adds one');
  }
  const { length } = ends;
  const turned = (index + (choice === 'next' ? 1 : length - 1)) % length;
  const chosen = ends[typeof choice === 'number' ? choice - 1 : turned];
  if (chosen === undefined) return refuse(state, `there are versions 1 to ${ends.length}`);
  if (chosen === ends[index])
    return printNotice(state, `this is version ${choice} of ${ends.length}`);
  const next = state.branch?.reason === 'undo' ? withBranch(state, undefined) : state;
  return step(next, task(selectTurn, { turnId: chosen.id, isBranch: false }));
}

function withLastPrompt(state: ReplState, run: (pair: PromptAndAnswer) => Update): Update {
  const pair = lastPrompt(currentPath(state));
  return pair === undefined ? refuseEmpty(state) : run(pair);
}

/** Sends a prompt again, to a model that only this answer uses. */
function askModel(state: ReplState, turnId: string, own: SessionSettings, comparedWith?: string) {
  const said = printNotice(state, `${own.model} answers the same prompt`);
  return andThen(said, (next) =>
    startAnswer(next, { type: 'repeat', turnId }, undefined, own, comparedWith),
  );
}

/** Sends the last prompt to a different model, with the same system prompt. */
function compare(state: ReplState, argument: string): Update {
  const { conversation, settings } = state;
  const pair = lastPrompt(currentPath(state));
  if (pair === undefined || !isAnswered(pair)) {
    return refuse(state, 'there is no answer to compare with', 'type a prompt and press Enter');
  }
  if (/\s/.test(argument)) return refuseModelId(state);
  const { prompt, answer } = pair;
  const ids = catalogue.map(({ id }) => id);
  const used = [answer.model, settings.model].find((model) => ids.some((id) => id === model));
  const other = used && ids.find((id) => id !== used);
  const model = argument || other;
  if (model === undefined) {
    return refuse(state, '/compare needs a model', '/compare nextgen; /model lists them');
  }
  const system = systemOf(endingWith(conversation, prompt.id));
  return askModel(state, prompt.id, { ...settings, model, system }, answer.id);
}

function retry(state: ReplState, model: string): Update {
  if (/\s/.test(model)) return refuseModelId(state);
  return withLastPrompt(state, ({ prompt: { id: turnId } }) =>
    model === ''
      ? startAnswer(state, { type: 'repeat', turnId }, undefined)
      : askModel(state, turnId, { ...state.settings, model }),
  );
}

/** Restores a sent prompt with its files to the composer; sending it adds a version. */
function restore(state: ReplState, { prompt }: PromptAndAnswer, reason: 'edit' | 'undo') {
  const { prompt: text, files } = splitPrompt(prompt.content);
  const composer = withSent(state.composer, state.history, text);
  const attachments = files.reduce(withFile, state.attachments);
  const restored = { ...state, composer, attachments, restoredFiles: files };
  return withBranch(restored, { parent: prompt.parent, reason });
}

/** Columns of a prompt in a notice, and UTF-16 units in a list, which the window cuts. */
const quotedColumns = 50;
const listedLength = 200;

/** The text of a prompt on one row, without its files. */
const listedText = ({ content }: Turn): string =>
  sanitizeLine(promptWithNames(content, listedLength).replaceAll(/\s+/g, ' ')).trim();

const numbered = (found: readonly { readonly prompt: Turn }[]) =>
  found.map(({ prompt }, index) => ({ value: String(index + 1), summary: listedText(prompt) }));

/** Line mode cannot put the prompt into a composer, and prints it. */
function editPrompt(state: ReplState, pair: PromptAndAnswer): Update {
  const restored = restore(state, pair, 'edit');
  if (!state.isLineMode) return step(restored);
  const names = restored.restoredFiles.map(({ name }) => name).join(', ');
  const lines = [
    `type a new version of: ${shownText(restored.composer)}`,
    ...(names === '' ? [] : [`attached: ${names}; /attach none removes them`]),
    `${keyOf('interrupt', state.keyMap)} keeps the old version`,
  ];
  return printNotice(restored, lines.join('\n'));
}

/** Without a number, lists the prompts. */
export function editEarlier(state: ReplState, argument = ''): Update {
  return withLastPrompt(state, (last) => {
    const prompts = promptsOf(currentPath(state)).toReversed();
    if (argument === '' && prompts.length > 1) {
      const choices = prompts.map((pair) => ({
        label: listedText(pair.prompt),
        choose: (next: ReplState) => editPrompt({ ...next, dialog: undefined }, pair),
      }));
      return offerChoices(state, 'earlier prompts, the last one first', 'edit', choices);
    }
    const pair = argument === '' ? last : prompts[Number(argument) - 1];
    if (pair !== undefined) return editPrompt(state, pair);
    const number = countOf(prompts.length, 'prompt');
    return refuse(state, `the conversation has only ${number}`, '/edit lists them');
  });
}

function undo(state: ReplState): Update {
  const withoutSummary = undoSummary(state);
  if (withoutSummary !== undefined) return withoutSummary;
  return withLastPrompt(state, (pair) => {
    const undone = restore(state, pair, 'undo');
    const { composer, attachments, restoredFiles } = state;
    const isRestored = isEmpty(composer) && !state.isLineMode;
    const next = isRestored
      ? { ...undone, restoredText: undone.composer.text }
      : { ...undone, composer, attachments, restoredFiles };
    const prompt = truncateToWidth(sanitizeLine(shownText(undone.composer)), quotedColumns);
    const removed = isAnswered(pair) ? 'and its answer are removed' : 'is removed';
    const text = `the prompt "${prompt}" ${removed}; your next prompt replaces it`;
    return step(next, task(changeJournal, { undo: pair.prompt.id }), printing(notice(text)));
  });
}

/**
 * The last prompts of the branches, with the times of their answers, newest first. A prompt without an answer ends
 * a branch only while it is on the screen; versions of an answer are one branch.
 */
function branchesOf(state: ReplState) {
  const turns = [...state.conversation.turns.values()];
  const current = lastPrompt(shownPath(state))?.prompt.id;
  const times = new Map(turns.filter(isAnswer).map(({ parent, createdAt }) => [parent, createdAt]));
  const prompts = turns.filter(
    ({ id, role }) => role === 'user' && (times.has(id) || id === current),
  );
  const followed = new Set(
    prompts.flatMap((prompt) => upFrom(state.conversation, prompt.id).slice(1)),
  );
  return prompts
    .filter((prompt) => !followed.has(prompt))
    .map((prompt) => ({
      prompt,
      time: times.get(prompt.id) ?? prompt.createdAt,
      isCurrent: prompt.id === current,
    }))
    .toSorted((one, other) => Number(other.time) - Number(one.time));
}

/** @param number from 1, the newest one */
function goTo(state: ReplState, number: number): Update {
  const next = { ...state, dialog: undefined };
  const found = branchesOf(state);
  const { prompt, isCurrent = false } = found[number - 1] ?? {};
  if (prompt === undefined) {
    return refuse(next, `there are branches 1 to ${found.length}`, '/branches lists them');
  }
  const place = `branch ${number} of ${found.length}`;
  if (isCurrent) return printNotice(next, `${place} is on the screen already`);
  const selecting = task(selectTurn, { turnId: prompt.id, isBranch: true });
  return step(withBranch(discardRestored(next), undefined), printing(notice(place)), selecting);
}

function offerBranches(session: Session): void {
  const now = session.context.clock.date();
  session.update((state) => {
    const choices = branchesOf(state).map(({ prompt, time, isCurrent }, index) => {
      const { length } = promptsOf(upFrom(state.conversation, prompt.id));
      const facts = `${countOf(length, 'prompt')}, ${timeAgo(time, now)}`;
      return {
        label: `${isCurrent ? 'this, ' : ''}${facts}: ${listedText(prompt)}`,
        choose: (next: ReplState) => goTo(next, index + 1),
      };
    });
    return offerChoices(state, 'branches, newest first', 'branches', choices);
  });
}

function branches(state: ReplState, argument: string): Update {
  const found = branchesOf(state);
  if (found.length < 2) {
    return refuse(state, 'this conversation has one branch', '/edit of an earlier prompt adds one');
  }
  if (argument === '') return step(state, task(offerBranches, undefined));
  return goTo(state, Number(argument));
}

function continueAnswer(state: ReplState): Update {
  const answer = currentPath(state).findLast(isAnswer);
  if (answer === undefined) {
    return refuse(state, 'there is no answer to continue', '/retry sends the last prompt again');
  }
  if (answer.incomplete !== true && answer.finishReason !== 'length') {
    return refuse(state, 'the last answer is complete', 'type a prompt to get more');
  }
  return startAnswer(state, { type: 'continue', turnId: answer.id }, undefined);
}

export const answerCommands: readonly SlashCommand[] = [
  {
    name: 'retry',
    argument: '[model]',
    summary: 'get a new version of the last answer',
    example: '/retry nextgen',
    completes: modelCandidates,
    run: retry,
  },
  {
    name: 'compare',
    argument: '[model]',
    summary: 'retry with another model, and show the figures of both',
    example: '/compare nextgen',
    completes: modelCandidates,
    run: compare,
  },
  {
    name: 'edit',
    argument: '[n]',
    isSilent: true,
    summary: 'edit an earlier prompt, or the n-th last, as a new version',
    example: '/edit 2',
    completes: (_repl, state) => numbered(promptsOf(currentPath(state)).toReversed()),
    run: editEarlier,
  },
  {
    name: 'version',
    argument: '[n]',
    summary: 'show the next version of the last answer, or version n',
    example: '/version 2',
    isUnlisted: true,
    run: (state, argument) => switchVersion(state, argument === '' ? 'next' : Number(argument)),
  },
  {
    name: 'undo',
    summary: 'remove the last prompt and its answer, or a new summary',
    run: undo,
  },
  {
    name: 'continue',
    summary: 'continue an answer that was cut off',
    run: continueAnswer,
  },
  {
    name: 'branches',
    argument: '[n]',
    summary: 'list the branches of edited prompts, or go to the n-th',
    example: '/branches 2',
    completes: (_repl, state) => numbered(branchesOf(state)),
    run: branches,
  },
];
