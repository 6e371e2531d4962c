import type { Clock } from '../clock.ts';
import { createStatusLine, type StatusLineOptions } from './status-line.ts';

export interface BatchProgressOptions extends StatusLineOptions {
  readonly clock: Clock;
  /** If false, nothing is shown. */
  readonly animated: boolean;
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
  const { clock, animated } = options;
  const line = createStatusLine(options);
  const ending = new AbortController();
  const run = async (text: () => string) => {
    try {
      for (;;) {
        await clock.sleep(pause, ending.signal);
        line.draw(text());
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
