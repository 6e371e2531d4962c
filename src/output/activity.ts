import { startTimer, type Clock } from '../clock.ts';
import type { RetryScheduled } from '../client/events.ts';
import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import type { Style } from '../terminal/style.ts';
import type { OutputStream } from '../terminal/device/streams.ts';
import { displayWidth, truncateToWidth } from '../terminal/text/width.ts';

export interface StatusLineOptions {
  readonly stderr: OutputStream;
  readonly style: Style;
}

/** A line that is overwritten in place, with spaces instead of escape codes, so it also works without them. */
export interface StatusLine {
  /** Replaces the line; truncated to the terminal's width. */
  draw(text: string): void;
  /** Removes the line, or keeps it and continues below. */
  leave(keep: boolean): void;
}

export function createStatusLine({ stderr, style }: StatusLineOptions): StatusLine {
  let width = 0;
  return {
    draw(text) {
      const shown = truncateToWidth(text, stderr.columns() - 1);
      const before = width;
      width = displayWidth(shown);
      void stderr.write(`\r${style.dim(shown)}${' '.repeat(Math.max(0, before - width))}`);
    },
    leave(keep) {
      if (width > 0) void stderr.write(keep ? '\n' : `\r${' '.repeat(width)}\r`);
      width = 0;
    },
  };
}

/**
 * The delay to show for a retry, in milliseconds: the service's `Retry-After`, without the jitter that natter adds, else
 * the scheduled delay.
 */
export function expectedDelay({ delay, cause }: RetryScheduled): number {
  const requested = cause.retryAfterSeconds;
  return requested === undefined ? delay : Math.min(delay, requested * 1000);
}

/** Shows waits and retries on standard error. */
export interface Activity {
  /** A request was sent and no answer has started. */
  waiting(model: string): void;
  /** A retry is scheduled. */
  retry(event: RetryScheduled): void;
  /** Removes the waiting line, or ends a retry line, before other output. */
  settle(): void;
}

export interface ActivityOptions {
  readonly stderr: OutputStream;
  readonly style: Style;
  readonly clock: Clock;
  readonly quiet: boolean;
  /** The line may be rewritten in place: standard error is a terminal that can. */
  readonly animated: boolean;
}

/** Most answers start sooner; a line that flashes would distract. */
const quietStart = 400;

function waitingText(model: string, waited: number): string {
  const seconds = Math.floor(waited / 1000);
  const time = seconds > 0 ? ` · ${seconds} s` : '';
  return `waiting for ${sanitizeLine(model)}${time} · Ctrl+C stops`;
}

/** Milliseconds as tenths of a second below one second, at least one, else as whole seconds. */
function inSeconds(time: number): string {
  const seconds = time / 1000;
  return `${seconds < 1 ? Number(Math.max(seconds, 0.1).toFixed(1)) : Math.ceil(seconds)} s`;
}

/** @param waited milliseconds since the retry was scheduled */
function retryText(event: RetryScheduled, waited: number): string {
  const cause = sanitizeLine(event.cause.message);
  const delay = expectedDelay(event);
  const sent = delay > 0 ? `after ${inSeconds(delay)}` : 'now';
  const time = delay > waited ? `in ${inSeconds(delay - waited)}` : sent;
  // The cause comes last: a narrow terminal cuts it first.
  return `natter: retry ${event.retry} of ${event.retries} ${time}: ${cause}`;
}

function createTicks(clock: Clock) {
  let stop = (): void => {};
  return {
    /** Calls `next` after `delay` milliseconds, then after each delay it returns, until it returns undefined or is stopped. */
    start(delay: number | undefined, next: () => number | undefined): void {
      if (delay !== undefined) stop = startTimer(clock, delay, () => this.start(next(), next));
    },
    stop: () => stop(),
  };
}

/** A rewritten line on a terminal; one line per retry elsewhere; nothing with `--quiet`. */
export function createActivity(options: ActivityOptions): Activity {
  const { stderr, clock, quiet, animated } = options;
  const line = createStatusLine(options);
  const ticks = createTicks(clock);
  let mode: 'idle' | 'waiting' | 'retry' = 'idle';

  const enter = (next: typeof mode) => {
    ticks.stop();
    line.leave(mode === 'retry');
    mode = next;
  };
  return {
    settle: () => enter('idle'),
    waiting(model) {
      if (quiet || !animated || mode === 'waiting') return;
      enter('waiting');
      const start = clock.monotonic();
      ticks.start(quietStart, () => {
        line.draw(waitingText(model, clock.monotonic() - start));
        return 1000;
      });
    },
    retry(event) {
      if (quiet) return;
      if (!animated) {
        void stderr.write(`${retryText(event, 0)}\n`);
        return;
      }
      enter('retry');
      const start = clock.monotonic();
      const show = () => {
        const waited = clock.monotonic() - start;
        line.draw(retryText(event, waited));
        const remaining = expectedDelay(event) - waited;
        return remaining <= 0 ? undefined : Math.min(1000, remaining);
      };
      ticks.start(show(), show);
    },
  };
}
