import { bar, type BarLayout, formatTable, type TableLayout } from '../../../output/table.ts';
import { count } from '../../../output/figures.ts';
import { sanitizeLine } from '../../../terminal/safety/sanitizer.ts';
import { displayWidth, padToWidth, truncateToWidth } from '../../../terminal/text/width.ts';

/** Times are milliseconds. */
export interface LatencyFigures {
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /**
   * From the first bucket with a duration to the last one: the durations above the limit of the bucket before. Limits
   * are 1, 2 or 5 times a power of ten.
   */
  readonly buckets: readonly { readonly upTo: number; readonly count: number }[];
}

function* limits(): Generator<number, never> {
  for (let power = 1; ; power *= 10) for (const digit of [1, 2, 5]) yield digit * power;
}

/** What a histogram shows of durations in milliseconds; undefined without any. */
export function latencyFigures(durations: readonly number[]): LatencyFigures | undefined {
  const sorted = Float64Array.from(durations).sort();
  const { length: answers } = sorted;
  if (answers === 0) return undefined;
  const quantile = (part: number) => sorted[Math.ceil(part * answers) - 1] ?? 0;
  const buckets: { upTo: number; count: number }[] = [];
  let counted = 0;
  for (const upTo of limits()) {
    const above = sorted.findIndex((duration) => duration > upTo);
    const end = above === -1 ? answers : above;
    if (end > 0) buckets.push({ upTo, count: end - counted });
    counted = end;
    if (end === answers) break;
  }
  return {
    count: answers,
    min: sorted[0] ?? 0,
    mean: sorted.reduce((sum, duration) => sum + duration, 0) / answers,
    max: sorted.at(-1) ?? 0,
    p50: quantile(0.5),
    p90: quantile(0.9),
    p99: quantile(0.99),
    buckets,
  };
}

export interface FailureCause {
  readonly kind: string;
  readonly count: number;
  /** Of the first one in the input. */
  readonly line: number;
  readonly id: string | null;
  readonly example: string;
}

const maxBar = 30;

/** `20 ms`, `1.5 s`, `50 s`, `8 min`. */
function shortDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  return seconds < 300 ? `${Math.round(seconds)} s` : `${count(Math.round(seconds / 60))} min`;
}

/** Two lines in a narrow window. */
function percentileLines(
  { p50, p90, p99, max }: LatencyFigures,
  width: number,
  unicode: boolean,
): readonly string[] {
  const parts = Object.entries({ p50, p90, p99, max }).map(
    ([name, time]) => `${name} ${shortDuration(time)}`,
  );
  const join = (some: readonly string[]) => some.join(unicode ? ' · ' : ', ');
  const line = join(parts);
  return displayWidth(line) < width ? [line] : [join(parts.slice(0, 2)), join(parts.slice(2))];
}

/** A histogram of the times to the end of an answer, with percentiles. Ends with a line feed. */
export function latencyText(figures: LatencyFigures, layout: BarLayout): string {
  const { width, style, unicode } = layout;
  const most = Math.max(...figures.buckets.map((bucket) => bucket.count));
  const labels = figures.buckets.map(
    ({ upTo }) => `${unicode ? '≤' : '<='} ${shortDuration(upTo)}`,
  );
  const counts = figures.buckets.map((bucket) => count(bucket.count));
  const columns = [labels, counts].map((cells) => Math.max(...cells.map(displayWidth)));
  const [labelWidth = 0, countWidth = 0] = columns;
  const room = Math.max(1, Math.min(maxBar, width - 1 - labelWidth - countWidth - 4));
  const rows = figures.buckets.map((bucket, index) => {
    const label = padToWidth(labels[index] ?? '', labelWidth, 'right');
    const items = padToWidth(counts[index] ?? '', countWidth, 'right');
    return `${label}  ${items}  ${bar(bucket.count, most, room, unicode)}`.trimEnd();
  });
  const lines = [
    `time of ${count(figures.count)} answers`,
    ...rows,
    ...percentileLines(figures, width, unicode),
  ];
  return lines
    .map((line, index) => {
      const shown = truncateToWidth(line, width - 1);
      return `${index === 0 ? style.bold(shown) : shown}\n`;
    })
    .join('');
}

const causeColumns = [
  { heading: 'cause' },
  { heading: 'failed', align: 'right' },
  { heading: 'first' },
  { heading: 'example', isSpare: true },
] as const;

const idWidth = 16;

/** `line 3 (q3)`, where a person finds an item. @param width of the id, which is cut there */
export function placeText(
  { line, id }: Pick<FailureCause, 'line' | 'id'>,
  width = Number.POSITIVE_INFINITY,
): string {
  return `line ${line}${id === null ? '' : ` (${truncateToWidth(sanitizeLine(id), width)})`}`;
}

/** A table of the causes of failed items, the most frequent first. */
export function causesText(causes: readonly FailureCause[], layout: TableLayout): string {
  const rows = causes
    .toSorted((one, other) => other.count - one.count)
    .map((cause) => {
      const { kind, example } = cause;
      return [kind, count(cause.count), placeText(cause, idWidth), sanitizeLine(example)];
    });
  return formatTable(causeColumns, rows, { ...layout, isTerminal: true, width: layout.width - 1 });
}
