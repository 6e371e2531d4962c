import type { Message } from '../../client/contract.ts';
import { contextWindow } from '../../conversation/context-fit.ts';
import { contextParts } from '../../conversation/compaction.ts';
import { estimateTokens } from '../../conversation/token-estimate.ts';
import { pathOf, summarizedTurns, summaryOf } from '../../conversation/tree.ts';
import { promptsOf, conversationOf, messagesFor } from '../conversations/position.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, Update } from '../state.ts';
import { printing, refuse, showNow, step } from '../step.ts';
import { count, countOf, percent, tokenText } from '../../output/figures.ts';

/** The messages of the next request, without its prompt. */
function nextMessages(state: ReplState): readonly Message[] {
  const messages = messagesFor(conversationOf(state)).filter(({ role }) => role !== 'system');
  const { system = '' } = state.settings;
  return system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages];
}

/** What `/context` shows. Numbers are tokens; the window of an unknown model is undefined. */
function figuresOf(state: ReplState) {
  const { settings, service, context, attachments } = state;
  const conversation = conversationOf(state);
  const path = pathOf(conversation);
  const summarized = summarizedTurns(conversation);
  return {
    model: settings.model,
    window: contextWindow(settings.model, service.windows),
    used: context.tokens,
    isEstimate: context.isEstimate,
    maxTokens: settings.maxTokens,
    parts: contextParts(conversation, nextMessages(state)),
    attached: {
      files: attachments.length,
      tokens: attachments.reduce((sum, { content }) => sum + estimateTokens(content), 0),
    },
    prompts: promptsOf(path.slice(summarized)).length,
    summarized: promptsOf(path.slice(0, summarized)).length,
    id: conversation.id,
    role: settings.role,
  };
}

export type ContextFigures = ReturnType<typeof figuresOf>;

function showContext(state: ReplState, argument: string): Update {
  if (argument === '') {
    return showNow(state, [contextText(figuresOf(state), state), usageText(state)].join('\n'));
  }
  if (argument !== 'summary') {
    return refuse(state, '/context takes only the word summary', '/context summary');
  }
  const summary = summaryOf(conversationOf(state));
  return summary === undefined
    ? refuse(state, 'there is no summary', '/compact asks for one')
    : step(state, printing({ type: 'answer', text: summary.content, model: 'summary' }));
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
function usageText({ usage }: ReplState): string {
  const estimates = usage.estimated === 0 ? '' : `, ${usage.estimated} of them estimated`;
  const answers = countOf(usage.answers, 'answer');
  return `${answers} in this session${estimates}: ${tokenText(usage.promptTokens)} in, ${count(usage.completionTokens)} out`;
}

interface Row {
  readonly name: string;
  /** What it is drawn with in the bar; a letter if the terminal has no Unicode. */
  readonly block: string;
  readonly letter: string;
  readonly tokens: number;
  readonly note: string;
}

/** The parts of the window that are shown. Those of the conversation share the tokens that the service counted. */
function rowsOf(figures: ContextFigures): readonly Row[] {
  const { window, used, attached, maxTokens = 0, parts, prompts, summarized, role } = figures;
  const { system, summary, files, turns, names } = parts;
  const estimate = system + summary + files + turns;
  const share = (tokens: number) =>
    estimate === 0 ? tokens : Math.round((tokens * used) / estimate);
  const left = Math.max(0, (window ?? 0) - used - attached.tokens);
  const answer = Math.min(left, maxTokens);
  const rows: readonly (readonly [string, string, string, number, string])[] = [
    ['system prompt', '▒', 's', share(system), role === undefined ? '' : `role ${role}`],
    ['summary', '▓', 'm', share(summary), `of ${countOf(summarized, 'prompt')}`],
    ['files', '▞', 'f', share(files), names.length === 0 ? '' : countOf(names.length, 'file')],
    ['turns', '█', 't', share(turns), countOf(prompts, 'prompt')],
    [
      'attached',
      '▚',
      'n',
      attached.tokens,
      `${countOf(attached.files, 'file')} of the next prompt`,
    ],
    ['answer room', '░', 'a', answer, ''],
    ['free', '·', '.', left - answer, maxTokens === 0 ? 'including room for the answer' : ''],
  ];
  const always = new Set([
    'turns',
    ...(attached.files > 0 ? ['attached'] : []),
    ...(window === undefined ? [] : ['free', ...(maxTokens > 0 ? ['answer room'] : [])]),
  ]);
  return rows
    .filter(([name, , , tokens]) => tokens > 0 || always.has(name))
    .map(([name, block, letter, tokens, note]) => ({ name, block, letter, tokens, note }));
}

const maxBarColumns = 60;

/** Each part has its share of the columns, and at least one; the widest one gives way. */
function bar(rows: readonly Row[], columns: number, unicode: boolean): string {
  const width = Math.max(8, Math.min(maxBarColumns, columns - 3));
  const total = Math.max(
    1,
    rows.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const shares = rows.map(({ tokens }) =>
    tokens === 0 ? 0 : Math.max(1, Math.floor((tokens / total) * width)),
  );
  const excess = shares.reduce((sum, share) => sum + share, 0) - width;
  const widest = shares.indexOf(Math.max(...shares));
  const cells = rows.map(({ block, letter }, index) => {
    const share = shares[index] ?? 0;
    const fitted = index === widest ? Math.max(1, share - excess) : share;
    return (unicode ? block : letter).repeat(fitted);
  });
  return unicode ? cells.join('') : `[${cells.join('')}]`;
}

function headText({ model, window, used, isEstimate }: ContextFigures): string {
  const tokens = `${isEstimate ? '~' : ''}${count(used)}`;
  if (window === undefined) {
    return `the conversation has ${tokenText(used, isEstimate)}; the window of ${model} is not known`;
  }
  return `${percent(used, window)} of the window of ${model}: ${tokens} of ${tokenText(window)}`;
}

/** A bar with a row for each part; in line mode, sentences. */
export function contextText(
  figures: ContextFigures,
  { isLineMode, columns, unicode }: Pick<ReplState, 'isLineMode' | 'columns' | 'unicode'>,
): string {
  const rows = rowsOf(figures);
  const { window, summarized, id } = figures;
  const head = headText(figures);
  const originals =
    summarized === 0
      ? []
      : [
          `/context summary shows the summary; natter conversations show ${id} shows the turns that it replaces`,
        ];
  if (isLineMode) {
    const words = rows.map(({ name, tokens, note }) =>
      [`${name}: about ${tokenText(tokens)}`, ...(note === '' ? [] : [note])].join(', '),
    );
    return [head, ...words, ...originals].join('\n');
  }
  const texts = rows.map(({ tokens }) => `~${count(tokens)}`);
  const names = Math.max(...rows.map(({ name }) => name.length));
  const numbers = Math.max(...texts.map(({ length }) => length));
  const table = rows.map(({ name, block, letter, tokens, note }, index) => {
    const share = window === undefined ? '' : percent(tokens, window).padStart(5);
    const cells = `${unicode ? block : letter} ${name.padEnd(names)}  ${texts[index]?.padStart(numbers)}${share}`;
    const line = note === '' ? cells : `${cells}  ${note}`;
    return line.length < columns ? line : cells;
  });
  const bars = window === undefined ? [] : [bar(rows, columns, unicode)];
  return [head, ...bars, ...table, ...originals].join('\n');
}
