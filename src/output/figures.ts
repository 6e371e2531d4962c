import type { Usage } from '../client/contract.ts';
import type { Timing } from '../client/events.ts';
import { estimateTokens } from '../conversation/token-estimate.ts';
import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import { displayWidth } from '../terminal/text/width.ts';
import { formatTable, type TableLayout } from './table.ts';

/** What is known of one answer, complete or cut; of a turn of a conversation too. */
export interface MeasuredAnswer {
  /** The model that answered, as the person named it. */
  readonly label: string;
  readonly content: string;
  readonly usage?: Usage | undefined;
  readonly timing?: Timing | undefined;
  /** How it ended: the service's reason, or why it was cut. */
  readonly ending: string;
}

/** With commas between thousands, for people. */
export const count = (value: number) => value.toLocaleString('en-US');

/** `1 token`, `2,040 tokens`; `~` marks an estimate. */
export function tokenText(tokens: number, isEstimate = false): string {
  return `${isEstimate ? '~' : ''}${count(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;
}

/** `12%`. */
export const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)}%`;

/** Seconds as a person reads them: `2.4 s`, `31 s`. */
export function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
}

function duration(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined;
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : seconds(milliseconds);
}

/** Tokens a second from the first text on; undefined where nobody could tell. */
export function tokensPerSecond(tokens: number, timing: Timing | undefined): number | undefined {
  if (timing?.firstText === undefined) return undefined;
  const streaming = timing.total - timing.firstText;
  // One read brought it all: a rate over a few milliseconds would say nothing.
  if (streaming < 50) return undefined;
  return Math.round(tokens / (streaming / 1000));
}

/** Tokens of an answer: as the service counted them, else as natter estimates them. */
export function answerTokens({ usage, content }: Pick<MeasuredAnswer, 'usage' | 'content'>): {
  readonly tokens: number;
  readonly isEstimate: boolean;
} {
  const counted = usage?.completion_tokens;
  return counted === undefined
    ? { tokens: estimateTokens(content), isEstimate: true }
    : { tokens: counted, isEstimate: false };
}

/** Each figure as text; one that is not known is undefined. `~` marks an estimate. */
function figuresOf(answer: MeasuredAnswer) {
  const { usage, timing } = answer;
  const { tokens, isEstimate } = answerTokens(answer);
  const mark = isEstimate ? '~' : '';
  const rate = tokensPerSecond(tokens, timing);
  return {
    firstText: duration(timing?.firstText),
    rate: rate === undefined ? undefined : `${mark}${count(rate)}`,
    tokensIn: usage?.prompt_tokens,
    tokensOut: mark + count(tokens),
    total: duration(timing?.total),
  };
}

const columns = [
  { heading: 'model' },
  { heading: 'first text', align: 'right' },
  { heading: 'tokens/s', align: 'right' },
  { heading: 'in', align: 'right' },
  { heading: 'out', align: 'right' },
  { heading: 'time', align: 'right' },
  { heading: 'ended' },
] as const;

function rowOf(answer: MeasuredAnswer): readonly string[] {
  const { firstText, rate, tokensIn, tokensOut, total } = figuresOf(answer);
  const counted = tokensIn === undefined ? undefined : count(tokensIn);
  const cells = [firstText, rate, counted, tokensOut, total].map((cell) => cell ?? '-');
  return [answer.label, ...cells, answer.ending];
}

/** The figures of an answer as one line. */
export function figuresLine(answer: MeasuredAnswer): string {
  const { firstText, rate, tokensIn, tokensOut, total } = figuresOf(answer);
  const parts = [
    answer.label,
    firstText && `first text after ${firstText}`,
    rate && `${rate} tokens/s`,
    tokensIn === undefined ? undefined : `${tokenText(tokensIn)} in`,
    `${tokensOut} out`,
    total,
    answer.ending === '-' ? undefined : answer.ending,
  ];
  return sanitizeLine(parts.filter((part) => part !== undefined).join(' · '));
}

/** A table of the figures; lines where it is wider than the window, and cells between tabs for a pipe. */
export function figuresText(answers: readonly MeasuredAnswer[], layout: TableLayout): string {
  const rows = answers.map(rowOf);
  const table = formatTable(columns, rows, { ...layout, width: Number.POSITIVE_INFINITY });
  const isTooWide = table.split('\n').some((line) => displayWidth(line) > layout.width);
  if (!layout.isTerminal || !isTooWide) return table;
  return answers.map((answer) => `${figuresLine(answer)}\n`).join('');
}
