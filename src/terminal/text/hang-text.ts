import { displayWidth, graphemes } from './width.ts';
import { isBreak, type Character } from './wrap.ts';

/** The words of a line, each with the spaces after it; ideographs are words. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let before: Character | undefined;
  for (const text of graphemes(line)) {
    const character = { text, width: displayWidth(text) };
    const isNew = before === undefined || (text !== ' ' && isBreak(before, character));
    if (isNew) words.push(text);
    else words.push(`${words.pop() ?? ''}${text}`);
    before = character;
  }
  return words;
}

function rowsOf(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const word of wordsOf(line)) {
    const isTooWide = used + displayWidth(word.trimEnd()) > width;
    if (isTooWide && row.trim() !== '') {
      rows.push(row.trimEnd());
      row = '';
      used = 0;
    }
    row += word;
    used += displayWidth(word);
  }
  return [...rows, row];
}

/**
 * Plain text in rows of up to `columns`, broken between words; `indent` begins all rows but the first, before which the
 * caller puts a mark of the same width. A word that is wider stays whole for copying: the terminal breaks it.
 */
export function hangText(text: string, columns: number, indent = ''): string {
  const width = Math.max(1, columns - displayWidth(indent));
  const rows = text.split('\n').flatMap((line) => rowsOf(line, width));
  return rows.map((row, index) => (index === 0 || row === '' ? row : indent + row)).join('\n');
}
