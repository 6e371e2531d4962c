import type { Usage } from '../client/contract.ts';
import type { Timing } from '../client/events.ts';
import { estimateTokens } from '../conversation/token-estimate.ts';
import type { AnswerMetadata } from './answer-meter.ts';
import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import { hangText } from '../terminal/text/rows.ts';
import { displayWidth } from '../terminal/text/width.ts';
import { formatTable, type TableLayout } from './table.ts';

/** A whole number with commas between thousands; the first `toLocaleString` of a process takes 5 ms. */
export const count = (value: number) => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 line`, `2,040 lines`. @param noun with a plural in `s` */
export const countOf = (value: number, noun: string) =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** `1 token`, `2,040 tokens`; `~` marks an estimate. */
export function tokenText(tokens: number, isEstimate = false): string {
  return `${isEstimate ? '~' : ''}${countOf(tokens, 'token')}`;
}

/** `12%`. */
export const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)}%`;

/** `128K`, `1.3M`; numbers below 1000 in full. */
export const shortCount = (value: number) => value.toLocaleString('en-US', { notation: 'compact' });

/** `59 s`, `2 min 5 s`. */
export const durationText = (whole: number) =>
  whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;

/** `2.4 s`, `31 s`. */
export function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
}

/** Tokens per second since the first text; undefined if it cannot be measured. */
export function tokensPerSecond(tokens: number, timing: Timing | undefined): number | undefined {
  if (timing?.firstText === undefined) return undefined;
  const streaming = timing.total - timing.firstText;
  // The text arrived in a single read: a rate over a few milliseconds is meaningless.
  if (streaming < 50) return undefined;
  return Math.round(tokens / (streaming / 1000));
}

/** Tokens of an answer: the reported usage, else an estimate. */
export function answerTokens({ usage, content }: Pick<MeasuredAnswer, 'usage' | 'content'>) {
  const counted = usage?.completion_tokens;
  return counted === undefined
    ? { tokens: estimateTokens(content), isEstimate: true }
    : { tokens: counted, isEstimate: false };
}

/** ` (1,024 cached)`; empty for none. */
export const cachedText = (tokens: number | undefined): string =>
  tokens === undefined || tokens === 0 ? '' : ` (${count(tokens)} cached)`;

/** The line below a finished answer: model, reported tokens in and out, time, speed; with commas for a screen reader. */
export function usageLine(
  metadata: AnswerMetadata,
  requestedModel: string,
  isSpoken = false,
): string {
  const { usage, timing, model = requestedModel } = metadata;
  const counted = usage?.completion_tokens;
  const rate = counted === undefined ? undefined : tokensPerSecond(counted, timing);
  const tokens =
    usage?.prompt_tokens === undefined && usage?.completion_tokens === undefined
      ? undefined
      : `${tokenText(usage.prompt_tokens ?? 0)} in${cachedText(usage.cached_tokens)}, ${count(usage.completion_tokens ?? 0)} out`;
  const time = timing && seconds(timing.total);
  return [model, tokens, time, rate === undefined ? undefined : `${count(rate)} tokens/s`]
    .filter((part) => part !== undefined)
    .join(isSpoken ? ', ' : ' · ');
}

/** Amounts by currency, small ones with two significant digits: `1.50 USD + 0.0012 EUR`; empty for none. */
export function moneyText(amounts: ReadonlyMap<string, number>): string {
  const texts = Array.from(amounts, ([currency, amount]) => {
    const isSmall = amount < 0.01 && amount !== 0;
    const digits = isSmall
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    return `${amount.toLocaleString('en-US', digits)} ${currency}`;
  });
  return texts.join(' + ');
}

const unitsOfAge = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const maxDays = 14;

/** `just now`, `5 minutes ago`, `3 days ago`, and the date if it is more than two weeks ago. */
export function timeAgo(time: Date, now: Date): string {
  const age = now.getTime() - time.getTime();
  for (const [unit, length] of unitsOfAge) {
    const number = Math.floor(age / length);
    if (unit === 'day' && number > maxDays) return time.toISOString().slice(0, 10);
    if (number > 0) return `${countOf(number, unit)} ago`;
  }
  return 'just now';
}

/** The figures of an answer, complete or cut; also of a turn in a conversation. */
export interface MeasuredAnswer {
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

const columns = ['first text', 'tokens/s', 'in', 'out', 'time'].map((heading) => {
  return { heading, align: 'right' } as const;
});

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
  const all = [{ heading: 'model' }, ...columns, { heading: 'ended' }];
  const rows = answers.map((answer) => {
    const { firstText, rate, tokensIn, tokensOut, total } = figuresOf(answer);
    const counted = tokensIn === undefined ? undefined : count(tokensIn);
    const cells = [firstText, rate, counted, tokensOut, total].map((cell) => cell ?? '-');
    return [answer.label, ...cells, answer.endReason];
  });
  const table = formatTable(all, rows, { ...layout, width: Number.POSITIVE_INFINITY });
  const isTooWide = table.split('\n').some((line) => displayWidth(line) > layout.width);
  if (!layout.isTerminal || !isTooWide) return table;
  return answers.map((answer) => `${hangText(figuresLine(answer), layout.width, '  ')}\n`).join('');
}
