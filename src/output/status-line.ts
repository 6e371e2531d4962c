import type { OutputStream } from '../terminal/device/streams.ts';
import type { Style } from '../terminal/style.ts';
import { displayWidth, truncateToWidth } from '../terminal/text/width.ts';

export interface StatusLineOptions {
  readonly stderr: OutputStream;
  readonly style: Style;
}

/** One line that is drawn over itself, with spaces rather than escape codes: it works without colour too. */
export interface StatusLine {
  /** Takes the place of what was drawn; cut to the width of the terminal. */
  draw(text: string): void;
  /** Removes the line, or keeps it and goes on below. */
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
