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
  const { length: count } = sorted;
  if (count === 0) return undefined;
  const quantile = (part: number) => sorted[Math.ceil(part * count) - 1] ?? 0;
  const buckets: { upTo: number; count: number }[] = [];
  let counted = 0;
  for (const upTo of limits()) {
    const above = sorted.findIndex((duration) => duration > upTo);
    const end = above === -1 ? count : above;
    if (end > 0) buckets.push({ upTo, count: end - counted });
    counted = end;
    if (end === count) break;
  }
  return {
    count,
    min: sorted[0] ?? 0,
    mean: sorted.reduce((sum, duration) => sum + duration, 0) / count,
    max: sorted.at(-1) ?? 0,
    p50: quantile(0.5),
    p90: quantile(0.9),
    p99: quantile(0.99),
    buckets,
  };
}
