/** Edits (insert, delete, replace, swap neighbours) between two words: optimal string alignment distance. */
function editDistance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= left.length; row += 1) {
    const cells = [row];
    rows.push(cells);
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      cells[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return at(left.length, right.length);
}

/** Up to this length, two edits make a different word: "hello" does not mean "help". */
const shortWord = 6;

/** `modles` almost matches `models`: one edit for a short word, two for a longer one. Undefined for an exact match. */
export function nearlyNamed(word: string, names: Iterable<string>): string | undefined {
  if (/\s/.test(word)) return undefined;
  const limit = word.length <= shortWord ? 1 : 2;
  const known = [...names];
  if (known.includes(word)) return undefined;
  // With every character replaced, nothing of the word is left.
  const most = Math.min(limit, word.length - 1);
  return known.find((name) => editDistance(word.toLowerCase(), name) <= most);
}
