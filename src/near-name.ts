/** Whether at most so many edits (insert, delete, replace, swap neighbours) make one word of the other. */
function isWithin(edits: number, left: string, right: string): boolean {
  if (left === right) return true;
  if (left[0] === right[0]) return isWithin(edits, left.slice(1), right.slice(1));
  if (edits <= 0) return false;
  const edited = (used: number, made: number) =>
    isWithin(edits - 1, left.slice(used), right.slice(made));
  const isSwapped = left[0] === right[1] && left[1] === right[0];
  return edited(1, 0) || edited(0, 1) || edited(1, 1) || (isSwapped && edited(2, 2));
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
  return known.find((name) => isWithin(most, word.toLowerCase(), name));
}
