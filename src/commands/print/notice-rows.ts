import type { OutputStream } from '../../terminal/device/streams.ts';
import { hangText } from '../../terminal/text/rows.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { commandNames } from '../program/command-names.ts';

/** What follows a command in a message: `natter models list shows…`, `natter config unset model, or…`. */
const prose =
  '(?:or|and|to|for|with|if|first|again|then|adds|asks|checks|continues|converts|does|exits|explains|lets|lists|makes|moves|needs|prints|runs|searches|sends|shows|stores)(?![^ ,;])';
const wordOfCommand = `(?<![,;:.?)]) (?!${prose})(?:"[^"]*"|[^ "])+`;
const commandOrOption = new RegExp(
  String.raw`\bnatter -- .*|\b(?:natter(?= (?:-|chat|${commandNames.join('|')}))|npm)(?:${wordOfCommand})+|(?<![^ ])--?[\w-]+ (?![a-z]+(?![\w./=<-]))\S+`,
  'g',
);

/**
 * A line of a message in rows of the width. Its rows break between words, but not in a command or between an option and
 * its value, which a reader may copy: if they fit, they are in one row; if not, the terminal breaks them.
 */
function rowsOf(line: string, columns: number): string {
  const mark = /^(?:natter: )?(?:warning: )? */.exec(line)?.[0] ?? '';
  const text = line.slice(mark.length);
  const joined = text.replace(commandOrOption, (words) => words.replaceAll(' ', '\u00A0'));
  const rows = hangText(joined, columns, ' '.repeat(mark.length)).split('\n');
  const fitting = rows.map((row, index) =>
    index > 0 && displayWidth(row) > columns ? row.trimStart() : row,
  );
  return mark + fitting.join('\n').replaceAll('\u00A0', ' ');
}

/** Lines of notices and failures, each in rows with a hanging indent. */
export function noticeRows(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (displayWidth(line) > columns ? rowsOf(line, columns) : line))
    .join('\n');
}

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
