import type { OutputStream } from '../terminal/device/streams.ts';
import type { Style } from '../terminal/style.ts';
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
