import { displayWidth, graphemes } from '../../terminal/width.ts';
import { styleSequence } from '../../terminal/open-style.ts';

/** More of a tail than this is not looked at: only its last rows are shown. */
const longestTail = 4000;

/** The rows of a text without colours; their last ones where it is long. */
export function wrapTail(text: string, columns: number): string[] {
  const plain = text.slice(-longestTail).replaceAll(styleSequence, '').replaceAll('\t', '    ');
  return plain.split('\n').flatMap((line) => wrapLine(line, columns));
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
