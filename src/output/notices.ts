import { sanitizeLine } from '../terminal/sanitizer.ts';
import type { OutputStream } from '../terminal/streams.ts';

/** Lines beside the answer, on standard error. */
export interface Notices {
  /** Something the person may want to know; silent with `--quiet`. */
  notice(text: string): void;
  /** Something the person must know; shown with `--quiet` too. */
  warning(text: string): void;
}

/** Each text becomes one sanitized line, `natter: …`; `mask` takes secrets out of it. */
export function createNotices(
  stderr: OutputStream,
  quiet: boolean,
  mask: (text: string) => string,
): Notices {
  const line = (text: string) => void stderr.write(`natter: ${mask(sanitizeLine(text))}\n`);
  return {
    notice: (text) => (quiet ? undefined : line(text)),
    warning: (text) => line(`warning: ${text}`),
  };
}
