import type { OutputStream } from '../../terminal/device/streams.ts';
import { noticeRows } from './notice-rows.ts';

/** Not of the log (`NATTER_DEBUG`), whose lines are copied. */
const isNotice = (text: string) => /^natter: (?!debug: )/.test(text);

/** Standard error whose notices, `natter: …`, break between words on a terminal. */
export function noticeStream(stderr: OutputStream): OutputStream {
  if (!stderr.isTerminal) return stderr;
  return {
    ...stderr,
    write: (text) => stderr.write(isNotice(text) ? noticeRows(text, stderr.columns()) : text),
  };
}
