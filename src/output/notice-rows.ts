import { withCommands } from '../failure.ts';
import { displayWidth } from '../terminal/text/width.ts';
import { hangText } from '../terminal/text/rows.ts';

/**
 * A line of a message in rows of the width. Its rows break between words, but not in a command, which a reader may copy:
 * if it fits, it is in one row; if not, the terminal breaks it.
 */
function rowsOf(line: string, columns: number): string {
  const joined = withCommands(line, (command) => command.replaceAll(' ', '\u00A0'));
  const mark = /^(?:natter: )?(?:warning: )? */.exec(joined)?.[0] ?? '';
  const rows = hangText(joined.slice(mark.length), columns, ' '.repeat(mark.length)).split('\n');
  const fitting = rows.map((row, index) =>
    index > 0 && displayWidth(row) > columns ? row.trimStart() : row,
  );
  return mark + fitting.join('\n').replaceAll('\u00A0', ' ');
}

/**
 * Lines of notices and failures as they are shown, each in rows with a hanging indent.
 * @param columns the width of the terminal; undefined breaks no rows
 */
export function noticeRows(text: string, columns: number | undefined): string {
  const lines = text.split('\n').map((line) => {
    const shown = withCommands(line);
    return columns === undefined || displayWidth(shown) <= columns ? shown : rowsOf(line, columns);
  });
  return lines.join('\n');
}
