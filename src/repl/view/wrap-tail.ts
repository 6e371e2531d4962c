import { displayWidth, graphemes } from '../../terminal/text/width.ts';
import { styleSequence } from '../../terminal/text/open-style.ts';

/** Maximum length of the tail that is wrapped; only its last rows are shown. */
const longestTail = 4000;

/** The rows of a text styled line by line; rows of lines that had to be wrapped lose their style. For a long text, only the last rows. */
export function wrapTail(text: string, columns: number): string[] {
  const lines = lastLines(text).replaceAll('\t', '    ').split('\n');
  return lines.flatMap((line) =>
    displayWidth(line) <= columns ? [line] : wrapLine(line.replaceAll(styleSequence, ''), columns),
  );
}

function lastLines(text: string): string {
  const end = text.slice(-longestTail);
  return text.length > longestTail ? end.slice(end.indexOf('\n') + 1) : end;
}

function wrapLine(line: string, columns: number): string[] {
  const rows = [''];
  let used = 0;
  for (const character of graphemes(line)) {
    const width = displayWidth(character);
    if (used + width > columns) {
      rows.push('');
      used = 0;
    }
    rows[rows.length - 1] += character;
    used += width;
  }
  return rows;
}
