/** Durations in buckets: memory does not grow with their number. */
export interface Latencies {
  /** In milliseconds. */
  add(duration: number): void;
  /** Undefined without any duration. */
  figures(): LatencyFigures | undefined;
}

/** Times are milliseconds. */
export interface LatencyFigures {
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  /** At most 2 % above the exact value. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** From the first bucket with a duration to the last one. */
  readonly buckets: readonly LatencyBucket[];
}

/** The durations above the limit of the bucket before. */
interface LatencyBucket {
  /** Milliseconds: 1, 2 or 5 times a power of ten. */
  readonly upTo: number;
  readonly count: number;
}

/** Ratio of the limits of two narrow buckets. */
const growth = 1.02;
/** The last narrow bucket ends after 11 days. */
const narrowBuckets = 1050;
/** 5e9 milliseconds are two months. */
const limits = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
);
const wideLimits: readonly number[] = limits.flat();

const narrowIndex = (duration: number) =>
  Math.min(narrowBuckets - 1, Math.ceil(Math.log(Math.max(1, duration)) / Math.log(growth)));

function wideIndex(duration: number): number {
  const index = wideLimits.findIndex((limit) => duration <= limit);
  return index === -1 ? wideLimits.length - 1 : index;
}

export function createLatencies(): Latencies {
  const narrow = new Uint32Array(narrowBuckets);
  const wide = new Uint32Array(wideLimits.length);
  let [count, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, 0];

  const quantile = (part: number): number => {
    let rest = Math.ceil(count * part);
    const index = narrow.findIndex((inside) => (rest -= inside) <= 0);
    return Math.min(max, Math.max(min, growth ** index));
  };
  return {
    add(duration) {
      count += 1;
      sum += duration;
      min = Math.min(min, duration);
      max = Math.max(max, duration);
      const [near, far] = [narrowIndex(duration), wideIndex(duration)];
      narrow[near] = (narrow[near] ?? 0) + 1;
      wide[far] = (wide[far] ?? 0) + 1;
    },
    figures() {
      if (count === 0) return undefined;
      const [first, last] = [wideIndex(min), wideIndex(max)];
      const buckets = wideLimits
        .map((upTo, index) => ({ upTo, count: wide[index] ?? 0 }))
        .slice(first, last + 1);
      const [p50, p90, p99] = [quantile(0.5), quantile(0.9), quantile(0.99)];
      return { count, min, mean: sum / count, max, p50, p90, p99, buckets };
    },
  };
}
