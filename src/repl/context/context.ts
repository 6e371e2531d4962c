import type { Message } from '../../client/contract.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { contextWindow } from '../../conversation/context-fit.ts';
import { contextParts } from '../../conversation/compaction.ts';
import { estimateTokens } from '../../conversation/token-estimate.ts';
import { pathOf, summarizedTurns, summaryOf } from '../../conversation/tree.ts';
import { promptsOf, conversationOf, messagesFor } from '../conversations/position.ts';
import { type Entry, failureEntry } from '../transcript/entry.ts';
import type { Session } from '../session.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, Step } from '../state.ts';
import { refuse, showNow, step, task } from '../step.ts';
import { count, countOf, percent, tokenText } from '../../output/figures.ts';

/** The messages of the next request, without its prompt. */
function nextMessages(state: ReplState): readonly Message[] {
  const messages = messagesFor(conversationOf(state)).filter(({ role }) => role !== 'system');
  const { system = '' } = state.settings;
  return system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages];
}

/** What `/context` shows. Numbers are tokens; the window of an unknown model is undefined. */
function figuresOf(state: ReplState, role: string | undefined) {
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
    role,
  };
}

export type ContextFigures = ReturnType<typeof figuresOf>;

function summaryEntry(state: ReplState): Entry {
  const summary = summaryOf(conversationOf(state));
  if (summary === undefined) {
    return failureEntry('there is no summary', '/compact asks for one');
  }
  return { type: 'answer', text: summary.content, model: 'summary' };
}

export function describeContext(
  session: Session,
  { shows }: { readonly shows: 'window' | 'summary' },
): void {
  const state = session.state();
  const name = state.settings.role;
  const role = name === undefined ? undefined : cleanLine(session.context, name);
  if (shows === 'summary') return session.print([summaryEntry(state)]);
  const text = [contextText(figuresOf(state, role), state), usageText(state)].join('\n');
  session.update((current) => showNow(current, text));
}

/** What the window holds, drawn. */
function showContext(state: ReplState, argument: string): Step {
  if (argument !== '' && argument !== 'summary') {
    return refuse(state, '/context takes only the word summary', '/context summary');
  }
  const shows = argument === '' ? 'window' : 'summary';
  return step(state, task(describeContext, { shows }));
}

export const contextCommand: SlashCommand = {
  name: 'context',
  argument: '[summary]',
  summary: "show what fills the model's window, and the tokens used",
  group: 'conversations',
  isImmediate: true,
  showsNow: true,
  example: '/context summary',
  run: showContext,
};

/** The tokens of the requests of this session. */
export function usageText({ usage }: ReplState): string {
  const estimates = usage.estimated === 0 ? '' : `, ${usage.estimated} of them estimated`;
  const answers = countOf(usage.answers, 'answer');
  return `${answers} in this session${estimates}: ${tokenText(usage.promptTokens)} in, ${count(usage.completionTokens)} out`;
}

type Part = 'system' | 'summary' | 'files' | 'turns' | 'attached' | 'answer' | 'free';

/** What each part is drawn with in the bar. */
const blocks: Readonly<Record<Part, string>> = {
  system: '▒',
  summary: '▓',
  files: '▞',
  turns: '█',
  attached: '▚',
  answer: '░',
  free: '·',
};

const letters: typeof blocks = {
  system: 's',
  summary: 'm',
  files: 'f',
  turns: 't',
  attached: 'n',
  answer: 'a',
  free: '.',
};

interface Row {
  readonly part: Part;
  readonly name: string;
  readonly tokens: number;
  readonly note: string;
}

/** The parts with the tokens that the service counted, which the estimates share. */
function partRows({ parts, used, prompts, summarized, role }: ContextFigures): Row[] {
  const { system, summary, files, turns, names } = parts;
  const estimate = system + summary + files + turns;
  const factor = estimate === 0 ? 1 : used / estimate;
  const row = (part: Part, name: string, tokens: number, note = ''): Row => {
    return { part, name, tokens: Math.round(tokens * factor), note };
  };
  return [
    row('system', 'system prompt', system, role === undefined ? '' : `role ${role}`),
    row(
      'summary',
      'summary',
      summary,
      summarized === 0 ? '' : `of ${countOf(summarized, 'prompt')}`,
    ),
    row('files', 'files', files, names.length === 0 ? '' : countOf(names.length, 'file')),
    row('turns', 'turns', turns, countOf(prompts, 'prompt')),
  ];
}

function allRows(figures: ContextFigures): readonly Row[] {
  const { window, used, attached, maxTokens = 0 } = figures;
  const { files, tokens } = attached;
  const note = `${countOf(files, 'file')} of the next prompt`;
  const next: Row = { part: 'attached', name: 'attached', tokens, note };
  const parts = partRows(figures).filter((row) => row.tokens > 0 || row.name === 'turns');
  if (files > 0) parts.push(next);
  if (window === undefined) return parts;
  const left = Math.max(0, window - used - tokens);
  const answer = Math.min(left, maxTokens);
  return [
    ...parts,
    ...(maxTokens === 0
      ? []
      : [{ part: 'answer' as const, name: 'answer room', tokens: answer, note: '' }]),
    {
      part: 'free',
      name: 'free',
      tokens: left - answer,
      note: maxTokens === 0 ? 'also for the answer' : '',
    },
  ];
}

const maxBarColumns = 60;

/** Each part has its share of the columns, and at least one. */
function bar(rows: readonly Row[], columns: number, marks: typeof blocks): string {
  const width = Math.max(8, Math.min(maxBarColumns, columns - 3));
  const total = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  const shares = rows.map(({ tokens }) =>
    tokens === 0 ? 0 : Math.max(1, Math.floor((tokens / Math.max(1, total)) * width)),
  );
  const excess = shares.reduce((sum, share) => sum + share, 0) - width;
  const widest = shares.indexOf(Math.max(...shares));
  const cells = shares.map((share, index) => {
    const fitted = index === widest ? Math.max(1, share - excess) : share;
    return marks[rows[index]?.part ?? 'free'].repeat(fitted);
  });
  return marks === blocks ? cells.join('') : `[${cells.join('')}]`;
}

function headText({ model, window, used, isEstimate }: ContextFigures): string {
  const tokens = `${isEstimate ? '~' : ''}${count(used)}`;
  if (window === undefined) {
    return `the conversation has ${tokenText(used, isEstimate)}; the window of ${model} is not known`;
  }
  return `${percent(used, window)} of the window of ${model}: ${tokens} of ${tokenText(window)}`;
}

function tableRows(
  rows: readonly Row[],
  window: number | undefined,
  columns: number,
  marks: typeof blocks,
): readonly string[] {
  const figures = rows.map(({ tokens }) => `~${count(tokens)}`);
  const [names, numbers] = [rows.map(({ name }) => name), figures].map((texts) =>
    Math.max(...texts.map(({ length }) => length)),
  );
  return rows.map(({ part, name, tokens, note }, index) => {
    const share = window === undefined ? '' : percent(tokens, window).padStart(5);
    const cells = `${marks[part]} ${name.padEnd(names ?? 0)}  ${(figures[index] ?? '').padStart(numbers ?? 0)}${share}`;
    const line = note === '' ? cells : `${cells}  ${note}`;
    return line.length < columns ? line : cells;
  });
}

function inWords({ name, tokens, note }: Row): string {
  return `${name}: about ${tokenText(tokens)}${note === '' ? '' : `, ${note}`}`;
}

/** A bar with a row for each part; in line mode, sentences. */
export function contextText(
  figures: ContextFigures,
  { isLineMode, columns, unicode }: Pick<ReplState, 'isLineMode' | 'columns' | 'unicode'>,
): string {
  const rows = allRows(figures);
  const { window, summarized, id } = figures;
  const originals =
    summarized === 0
      ? []
      : [
          `/context summary shows the summary; natter conversations show ${id} shows the turns that it replaces`,
        ];
  if (isLineMode) return [headText(figures), ...rows.map(inWords), ...originals].join('\n');
  const marks = unicode ? blocks : letters;
  const bars = window === undefined ? [] : [bar(rows, columns, marks)];
  const table = tableRows(rows, window, columns, marks);
  return [headText(figures), ...bars, ...table, ...originals].join('\n');
}
