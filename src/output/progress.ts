import type { Clock } from '../clock.ts';
import type { Style } from '../terminal/style.ts';
import type { OutputStream } from '../terminal/device/streams.ts';

export interface Progress {
  /** Both in the same unit. */
  show(done: number, total: number): void;
  /** Removes the line; other output may follow, and `show` draws it again. */
  clear(): void;
}

export interface ProgressOptions {
  readonly stderr: OutputStream;
  readonly style: Style;
  readonly clock: Clock;
  /** If false, nothing is shown. */
  readonly animated: boolean;
  readonly unicode: boolean;
  readonly label: string;
}

const eraseLine = '\r\u001B[K';
/** Milliseconds. Shorter work needs no bar. */
const quietStart = 300;
const pause = 100;
const barWidth = 24;

export function createProgress(options: ProgressOptions): Progress {
  const { stderr, style, clock, animated, unicode, label } = options;
  const [full, empty] = unicode ? ['━', '─'] : ['#', '.'];
  let next = clock.monotonic() + quietStart;
  let drawn = false;
  return {
    show(done, total) {
      if (!animated || clock.monotonic() < next) return;
      next = clock.monotonic() + pause;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const filled = Math.floor(share * barWidth);
      const bar = full.repeat(filled) + empty.repeat(barWidth - filled);
      drawn = true;
      void stderr.write(eraseLine + style.dim(`${label} ${bar} ${Math.floor(share * 100)}%`));
    },
    clear() {
      if (drawn) void stderr.write(eraseLine);
      drawn = false;
    },
  };
}
