import type { LatencyFigures } from '../../../batch/latency.ts';
import { itemsLeft, type Tally } from '../../../batch/tally.ts';
import type { FailureCause } from './figures-text.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { type Ending, exitOf } from './ending.ts';

/** What identifies a run. */
export interface RunNames {
  /** `-`: standard input. */
  readonly input: string;
  readonly output: string | null;
  /** `2/8`. */
  readonly shard: string | null;
  readonly begin: Date;
  /** In a queue. */
  readonly batch?: string;
}

const whole = (value: number) => Math.round(value);

function countFields(tally: Tally, elapsed: number, left = itemsLeft(tally)) {
  const done = tally.answered + tally.failed;
  return {
    elapsed_ms: whole(elapsed),
    items: {
      total: tally.total ?? null,
      answered_before: tally.already,
      answered: tally.answered,
      failed: tally.failed,
      left: left ?? null,
    },
    /** Items a second. */
    rate: elapsed > 0 ? Number(((done * 1000) / elapsed).toFixed(3)) : null,
    attempts: tally.attempts,
    tokens: {
      prompt: tally.promptTokens,
      completion: tally.completionTokens,
      total: tally.tokens,
    },
    /** By currency; null where no price is known. */
    cost: tally.costs.size === 0 ? null : Object.fromEntries(tally.costs),
  };
}

/** Seconds until the last item, at the rate of this run. */
function estimatedSeconds(tally: Tally, elapsed: number): number | null {
  const left = itemsLeft(tally);
  const done = tally.answered + tally.failed;
  return left === undefined || done === 0 ? null : whole((left * elapsed) / done / 1000);
}

/** A line of `--progress-json`. @param pause milliseconds until the next request is allowed */
export function progressRecord(tally: Tally, time: Date, elapsed: number, pause: number): object {
  return {
    type: 'progress',
    time: time.toISOString(),
    ...countFields(tally, elapsed),
    eta_seconds: estimatedSeconds(tally, elapsed),
    paused_ms: whole(pause),
  };
}

function latencyFields(figures: LatencyFigures | undefined): object | null {
  if (figures === undefined) return null;
  const { count, buckets, ...times } = figures;
  const rounded = Object.entries(times).map(([name, time]) => [name, whole(time)] as const);
  const limits = buckets.map((bucket) => ({ up_to: bucket.upTo, count: bucket.count }));
  return { count, ...Object.fromEntries(rounded), buckets: limits };
}

/**
 * The causes of failed items, the most frequent first, each with its first item in the input.
 * @param clean makes texts safe to show
 */
export function causesOf(tally: Tally, clean: (text: string) => string): readonly FailureCause[] {
  return [...tally.examples]
    .map(
      ([
        kind,
        {
          failure,
          item: { line, id },
        },
      ]) => ({
        kind,
        count: tally.causes.get(kind) ?? 0,
        line,
        id: id === undefined ? null : clean(id),
        example: clean(failure.message),
      }),
    )
    .toSorted((one, other) => other.count - one.count);
}

/** The document of `--summary`, and the last line of `--progress-json`. Times are whole milliseconds. */
export function summaryRecord(
  tally: Tally,
  { input, output, shard, begin, batch }: RunNames,
  { elapsed, error, notice, stoppedBy, left }: Ending,
  clean: (text: string) => string,
): object {
  const { code, name } = exitOf(error);
  return {
    type: 'summary',
    begin: begin.toISOString(),
    input,
    output,
    shard,
    batch,
    exit_code: code,
    exit_name: name,
    message: clean(notice ?? toFailure(error).message),
    stopped_by: stoppedBy,
    ...countFields(tally, elapsed, left),
    causes: causesOf(tally, clean),
    latency_ms: latencyFields(tally.latency.figures()),
    first_text_ms: latencyFields(tally.firstText.figures()),
  };
}
