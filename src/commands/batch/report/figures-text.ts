import { bar, type BarLayout, formatTable } from '../../../output/table.ts';
import { count } from '../../../output/figures.ts';
import { shortTime } from './progress.ts';

/** 1, 2 and 5 times the powers of ten up to a year. */
const limits = Array.from({ length: 12 }, (_, power) => 10 ** power).flatMap((power) => [
  power,
  2 * power,
  5 * power,
]);

/**
 * What a summary has of durations, in whole milliseconds; null without any. The buckets go from the first with a
 * duration to the last one. Each counts the durations above the limit of the one before.
 */
export function latencyFigures(durations: readonly number[]) {
  const sorted = Float64Array.from(durations).sort();
  const { length: answers } = sorted;
  if (answers === 0) return null;
  const quantile = (part: number) => Math.round(sorted[Math.ceil(part * answers) - 1] ?? 0);
  const all = limits.map((limit, at) => {
    const before = limits[at - 1] ?? -1;
    const inside = sorted.filter((duration) => duration > before && duration <= limit);
    return { up_to: limit, count: inside.length };
  });
  const isFilled = (bucket: { readonly count: number }) => bucket.count > 0;
  const buckets = all.slice(all.findIndex(isFilled), all.findLastIndex(isFilled) + 1);
  return {
    count: answers,
    min: Math.round(sorted[0] ?? 0),
    mean: Math.round(sorted.reduce((sum, duration) => sum + duration, 0) / answers),
    max: quantile(1),
    p50: quantile(0.5),
    p90: quantile(0.9),
    p99: quantile(0.99),
    buckets,
  };
}

type LatencyFigures = NonNullable<ReturnType<typeof latencyFigures>>;

/** Columns of the longest bar, and of what is beside it. */
const maxBar = 30;
const widthOfOthers = 25;

/** `20 ms`, `1.5 s`, `50 s`, `8 min`. */
const shortDuration = (milliseconds: number) =>
  milliseconds < 1000 ? `${milliseconds} ms` : shortTime(milliseconds).replace('.0 s', ' s');

const timeColumns = [
  { heading: 'time', align: 'right' },
  { heading: 'answers', align: 'right' },
  { heading: '' },
] as const;

/** A histogram of the times to the end of an answer, with percentiles. Ends with a line feed. */
export function latencyText(figures: LatencyFigures, layout: BarLayout): string {
  const { width, unicode } = layout;
  const { buckets, p50, p90, p99, max } = figures;
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  const room = Math.max(1, Math.min(maxBar, width - widthOfOthers));
  const rows = buckets.map((bucket) => [
    `${unicode ? '≤' : '<='} ${shortDuration(bucket.up_to)}`,
    count(bucket.count),
    bar(bucket.count, most, room, unicode),
  ]);
  const times = { p50, p90, p99, max };
  const percentiles = Object.entries(times).map(([name, time]) => `${name} ${shortDuration(time)}`);
  return `${formatTable(timeColumns, rows, layout)}${percentiles.join(', ')}\n`;
}
