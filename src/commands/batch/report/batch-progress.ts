import type { Clock } from '../../../clock.ts';
import { createStatusLine, type StatusLineOptions } from '../../../output/activity.ts';
import type { FailureKind } from '../../../failure.ts';
import { count, tokenText, moneyText } from '../../../output/figures.ts';

export interface BatchProgressOptions extends StatusLineOptions {
  readonly clock: Clock;
  /** If false, nothing is shown. */
  readonly animated: boolean;
  /** Called with each drawing. */
  readonly onDraw?: () => void;
}

/** A line on standard error that is drawn anew twice a second. */
export interface BatchProgress {
  /** Draws the result of `text` now and periodically until `end`. */
  begin(text: () => string): void;
  /** Removes the line before other output; it is redrawn below. */
  clear(): void;
  /** Removes it for good. */
  end(): void;
}

/** Milliseconds. */
const pause = 500;

export function createBatchProgress(options: BatchProgressOptions): BatchProgress {
  const { clock, animated, onDraw } = options;
  const line = createStatusLine(options);
  const ending = new AbortController();
  const run = async (text: () => string) => {
    try {
      for (;;) {
        await clock.sleep(pause, ending.signal);
        line.draw(text());
        onDraw?.();
      }
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
  };
  return {
    begin(text) {
      if (animated) void run(text);
    },
    clear: () => line.leave(false),
    end() {
      ending.abort();
      line.leave(false);
    },
  };
}

export interface BatchFigures {
  /** Number of items of this run; undefined while unknown. */
  readonly total: number | undefined;
  /** Answered by an earlier run. */
  readonly already: number;
  /** Answered by this run. */
  readonly answered: number;
  readonly failed: number;
  readonly causes: ReadonlyMap<FailureKind, number>;
  readonly tokens: number;
  /** By currency. */
  readonly costs: ReadonlyMap<string, number>;
  /** Milliseconds since this run began. */
  readonly elapsed: number;
}

export interface BatchState {
  /** Milliseconds until the next request is allowed; 0 if it is allowed now. */
  readonly waiting: number;
  /** No further items are started. */
  readonly isStopping: boolean;
  /** What the service allows, as far as its refusals have shown it. */
  readonly allowed: AllowedRate;
}

/** Limits of the service; undefined while none is known. */
interface AllowedRate {
  readonly places: number | undefined;
  readonly perSecond: number | undefined;
}

/** A duration in at most two units: `45 s`, `3 min`, `2 h 5 min`. */
export function shortTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `48/s`, `4.8/s`, `29.4/min`; with what is allowed, `48 of 50/s allowed`. */
function rateText(rate: number | undefined, allowed: number | undefined): string {
  const larger = Math.max(rate ?? 0, allowed ?? 0);
  const format = (value: number): string => {
    if (larger >= 10) return count(Math.round(value));
    return (larger >= 1 ? value : value * 60).toFixed(1);
  };
  const unit = larger >= 1 ? 's' : 'min';
  if (allowed === undefined) return `${format(rate ?? 0)}/${unit}`;
  const part = rate === undefined ? '' : `${format(rate)} of `;
  return `${part}${format(allowed)}/${unit} allowed`;
}

function speed(items: number, elapsed: number, allowed: number | undefined): string | undefined {
  // An earlier rate would vary too much.
  const rate = elapsed < 2000 || items === 0 ? undefined : items / (elapsed / 1000);
  return rate === undefined && allowed === undefined ? undefined : rateText(rate, allowed);
}

function timeLeft({ total, already, answered, failed, elapsed }: BatchFigures): string | undefined {
  const done = answered + failed;
  if (total === undefined || done < 10 || elapsed < 2000) return undefined;
  const left = ((total - already - done) * elapsed) / done;
  if (left < 1000) return undefined;
  return left < 10_000 ? `${Math.ceil(left / 1000)} s left` : `${shortTime(left)} left`;
}

/** The progress line of a batch: the most important parts first, because a narrow terminal cuts the end. */
export function batchProgress(
  figures: BatchFigures,
  { waiting, isStopping, allowed }: BatchState,
): string {
  const { total, already, answered, failed, tokens, costs, elapsed } = figures;
  const done = count(already + answered + failed);
  const parts = [
    total === undefined ? `${done} done` : `${done} of ${count(total)}`,
    failed === 0 ? undefined : `${count(failed)} failed`,
    isStopping ? 'stopping' : undefined,
    waiting >= 1000 ? `rate limit, ${Math.ceil(waiting / 1000)} s` : undefined,
    speed(answered + failed, elapsed, allowed.perSecond),
    allowed.places === undefined ? undefined : `${count(allowed.places)} at once allowed`,
    timeLeft(figures),
    tokens === 0 ? undefined : tokenText(tokens),
    costs.size === 0 ? undefined : moneyText(costs),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** `2 rate_limited, 1 incomplete`: the most frequent cause first. */
function causesInWords(causes: ReadonlyMap<FailureKind, number>): string {
  return [...causes]
    .sort(([, one], [, other]) => other - one)
    .map(([kind, times]) => `${count(times)} ${kind}`)
    .join(', ');
}

/** The summary of a batch: `7 of 10 items answered (3 before) in 2.1 s, 1,204 tokens; 3 failed: 3 rate_limited`. */
export function batchOutcome(figures: BatchFigures): string {
  const { total, already, answered, failed, causes, tokens, costs, elapsed } = figures;
  const whole = total === undefined ? '' : ` of ${count(total)}`;
  const before = already === 0 ? '' : ` (${count(already)} before)`;
  const used = tokens === 0 ? '' : `, ${tokenText(tokens)}`;
  const paid = costs.size === 0 ? '' : `, ${moneyText(costs)}`;
  const lost = failed === 0 ? '' : `; ${count(failed)} failed: ${causesInWords(causes)}`;
  const items = (total ?? already + answered) === 1 ? 'item' : 'items';
  return `${count(already + answered)}${whole} ${items} answered${before} in ${shortTime(elapsed)}${used}${paid}${lost}`;
}

/** Percent of the items that need no request any more; undefined while their number is unknown. */
export function batchShare({
  total,
  already,
  answered,
  failed,
}: Pick<BatchFigures, 'total' | 'already' | 'answered' | 'failed'>): number | undefined {
  return total === undefined || total === 0
    ? undefined
    : ((already + answered + failed) / total) * 100;
}
