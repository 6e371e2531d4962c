import type { FoundLimits } from '../../../batch/limits/limit-controller.ts';
import type { Places } from '../../../batch/limits/places.ts';
import type { Tally } from '../../../batch/tally.ts';
import { openWindowStatus } from '../../print/window-status.ts';
import type { GlobalOptions, Run } from '../../../run.ts';
import type { FailureKind } from '../../../failure.ts';
import { createStatusLine } from '../../../output/activity.ts';
import { count, moneyText, tokenText } from '../../../output/figures.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';

export interface ReportOptions {
  readonly progressJson?: boolean;
  /** The file of `--summary`. */
  readonly summary?: string;
  readonly figures?: boolean;
  readonly quiet?: boolean;
}

export interface BatchFigures extends Tally {
  /** Milliseconds since this run began. */
  readonly elapsed: number;
}

interface BatchState {
  /** Milliseconds until the next request is allowed; 0 if it is allowed now. */
  readonly waiting: number;
  /** No further items are started. */
  readonly isStopping: boolean;
  /** What the service allows, as far as its refusals have shown it. */
  readonly allowed: FoundLimits;
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
function batchShare({ total, already, answered, failed }: Tally): number | undefined {
  if (total === undefined || total === 0) return undefined;
  return ((already + answered + failed) / total) * 100;
}

/** A run of a command. */
export interface ShownRun extends Run<GlobalOptions & ReportOptions> {
  /** What the title of the window names: `natter batch`. */
  readonly command: string;
  readonly settings: ResolvedSettings;
  readonly tally: Tally;
  /** Items without a result in a queue; undefined if unknown. */
  readonly left?: () => number | undefined;
}

function titleOf({ command, left }: ShownRun, share: number | undefined): string {
  const queued = left?.();
  if (queued !== undefined) return `${count(queued)} left - ${command}`;
  return share === undefined ? command : `${Math.floor(share)}% - ${command}`;
}

/** A line on standard error that is drawn anew twice a second. */
interface BatchProgress {
  /** Removes the line before other output; it is redrawn below. */
  clear(): void;
  /** Removes it for good. */
  end(): void;
}

/** Milliseconds. */
const pause = 500;

/** Shows the progress on standard error, and in the window's title and tab. */
export function showProgress(run: ShownRun, places: Places, stop: AbortSignal): BatchProgress {
  const { context, presentation, tally, options, settings, left } = run;
  const { clock, streams } = context;
  const { noticeStyle: style } = presentation;
  const isQuiet = options.quiet === true || options.progressJson === true;
  const animated = presentation.animated && !isQuiet;
  const window = openWindowStatus(context, animated, settings.values);
  const line = createStatusLine({ stderr: streams.stderr, style });
  const start = clock.monotonic();
  const draw = () => {
    const waiting = places.pauseRemaining();
    const state = { waiting, isStopping: stop.aborted, allowed: places.found() };
    const text = batchProgress({ ...tally, elapsed: clock.monotonic() - start }, state);
    const queued = left?.();
    line.draw(queued === undefined ? text : `${text} · ${count(queued)} left in the queue`);
    const share = batchShare(tally);
    window.show(titleOf(run, share), waiting > 0 ? 'paused' : (share ?? 'busy'));
  };
  const endDrawing = animated ? clock.repeat(pause, draw) : undefined;
  return {
    clear: () => line.leave(false),
    end() {
      endDrawing?.();
      line.leave(false);
      window.end();
    },
  };
}
