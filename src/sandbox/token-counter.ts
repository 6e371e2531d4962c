// How the sandbox counts tokens. A token is an optional space and up to six letters or digits, or one other
// character, or a run of up to eight spaces: about four bytes of English. Linear, and needs no table.

const longestWord = 6;
const longestBlank = 8;
const space = 0x20;

/** Tokens that each turn costs beside its text. */
const turnCost = 3;

function isBlank(code: number): boolean {
  return code === space || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
}

/** ASCII letters, digits and `_`, and the alphabets below U+2000; anything beyond counts one by one. */
function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    (code >= 0xc0 && code < 0x2000)
  );
}

function runEnd(
  text: string,
  start: number,
  longest: number,
  belongs: (code: number) => boolean,
): number {
  const limit = Math.min(text.length, start + longest);
  let end = start;
  while (end < limit && belongs(text.charCodeAt(end))) end += 1;
  return end;
}

/** Index after the token that begins at `start`, which is below `text.length`. Never inside a surrogate pair. */
function tokenEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  const wordStart = first === space ? start + 1 : start;
  const wordEnd = runEnd(text, wordStart, longestWord, isWord);
  if (wordEnd > wordStart) return wordEnd;
  if (isBlank(first)) return runEnd(text, start, longestBlank, isBlank);
  return start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
}

/** Number of tokens in `text`. */
export function countTokens(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index = tokenEnd(text, index)) count += 1;
  return count;
}

/** Tokens of a prompt: those of each turn's text, and three a turn. */
export function countPromptTokens(turns: readonly { readonly content: string }[]): number {
  return turns.reduce((sum, turn) => sum + countTokens(turn.content) + turnCost, 0);
}

/**
 * Cuts a text that comes in pieces into tokens, lazily. The result does not depend on where the pieces end, and
 * has as many members as {@link countTokens} counts.
 */
export function* tokensOf(pieces: Iterable<string>): Generator<string, void, undefined> {
  let held = '';
  for (const piece of pieces) {
    const text = held + piece;
    let start = 0;
    // The next piece may still lengthen a token that ends near the end of this one.
    const undecided = text.length - longestBlank - 1;
    while (start < undecided) {
      const end = tokenEnd(text, start);
      yield text.slice(start, end);
      start = end;
    }
    held = text.slice(start);
  }
  for (let start = 0; start < held.length;) {
    const end = tokenEnd(held, start);
    yield held.slice(start, end);
    start = end;
  }
}
