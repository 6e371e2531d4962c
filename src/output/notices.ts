import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import type { OutputStream } from '../terminal/device/streams.ts';

/** Lines beside the answer, on standard error. */
export interface Notices {
  /** Informational; silent with `--quiet`. */
  notice(text: string): void;
  /** Important; shown with `--quiet` too. */
  warning(text: string): void;
}

/** Each text becomes one sanitized line, `natter: …`; `mask` redacts secrets. */
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

/** Queues notices while something else is drawn; `release` writes them and ends the queueing. */
export function holdNotices(notices: Notices): Notices & { release(): void } {
  let waiting: (() => void)[] | undefined = [];
  const hold = (tell: () => void) => {
    if (waiting === undefined) tell();
    else waiting.push(tell);
  };
  return {
    notice: (text) => hold(() => notices.notice(text)),
    warning: (text) => hold(() => notices.warning(text)),
    release() {
      const told = waiting ?? [];
      waiting = undefined;
      for (const tell of told) tell();
    },
  };
}
