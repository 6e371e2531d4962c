import type { OutputStream } from '../../terminal/device/streams.ts';

/** A character beyond ASCII may have 2 columns. */
const mayBeWider = (line: string, columns: number) =>
  line.length * (/[^ -~]/.test(line) ? 2 : 1) > columns;

/** Not of the log (`NATTER_DEBUG`), whose lines are copied. */
const isNotice = (text: string) => /^natter: (?!debug: )/.test(text);

/**
 * Standard error whose notices, `natter: …`, break between words on a terminal. The first one that is wider than the
 * terminal loads the code for it; texts after it wait.
 */
export function noticeStream(stderr: OutputStream): OutputStream {
  if (!stderr.isTerminal) return stderr;
  let waiting: Promise<void> | undefined;
  const isLong = (text: string) =>
    isNotice(text) && text.split('\n').some((line) => mayBeWider(line, stderr.columns()));
  // The file may be missing: natter was updated.
  const rowsOf = (text: string) =>
    import('./notice-rows.ts').then(
      ({ noticeRows }) => noticeRows(text, stderr.columns()),
      () => text,
    );
  return {
    ...stderr,
    write(text) {
      if (waiting === undefined && !isLong(text)) return stderr.write(text);
      const rows = isLong(text) ? rowsOf(text) : text;
      const ended = Promise.all([rows, waiting]).then(([shown]) => {
        if (waiting === ended) waiting = undefined;
        return stderr.write(shown);
      });
      waiting = ended;
      return ended;
    },
    async flush() {
      await waiting;
      await stderr.flush();
    },
  };
}
