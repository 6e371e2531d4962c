import type { Usage } from '../client/contract.ts';
import type { Timing } from '../client/events.ts';
import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import { displayWidth } from '../terminal/text/width.ts';
import { answerTokens, count, seconds, tokensPerSecond, tokenText } from './figures.ts';
import { formatTable, type TableLayout } from './table.ts';

/** The figures of an answer, complete or cut; also of a turn in a conversation. */
export interface MeasuredAnswer {
  /** The model, as named by the user. */
  readonly label: string;
  readonly content: string;
  readonly usage?: Usage | undefined;
  readonly timing?: Timing | undefined;
  /** The service's finish reason, or why the answer was cut. */
  readonly endReason: string;
}

function duration(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined;
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : seconds(milliseconds);
}

/** Each figure as text; unknown ones are undefined. `~` marks an estimate. */
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
  return [answer.label, ...cells, answer.endReason];
}

export function figuresLine(answer: MeasuredAnswer): string {
  const { firstText, rate, tokensIn, tokensOut, total } = figuresOf(answer);
  const parts = [
    answer.label,
    firstText && `first text after ${firstText}`,
    rate && `${rate} tokens/s`,
    tokensIn === undefined ? undefined : `${tokenText(tokensIn)} in`,
    `${tokensOut} out`,
    total,
    answer.endReason === '-' ? undefined : answer.endReason,
  ];
  return sanitizeLine(parts.filter((part) => part !== undefined).join(' · '));
}

/** A table, or lines if it is wider than the window; tab-separated for a pipe. */
export function figuresText(answers: readonly MeasuredAnswer[], layout: TableLayout): string {
  const rows = answers.map(rowOf);
  const table = formatTable(columns, rows, { ...layout, width: Number.POSITIVE_INFINITY });
  const isTooWide = table.split('\n').some((line) => displayWidth(line) > layout.width);
  if (!layout.isTerminal || !isTooWide) return table;
  return answers.map((answer) => `${figuresLine(answer)}\n`).join('');
}
