// A token is an optional space and up to six letters or digits, or one other character, or up to eight blanks: about
// four bytes of English. Linear, without a table.

const maxWordLength = 6;
const maxBlankLength = 8;
const space = 0x20;

/** Tokens of each message in addition to its text. */
const messageCost = 3;

function isBlank(code: number): boolean {
  return code === space || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
}

/** ASCII letters, digits and `_`, and the alphabets below U+2000; each character above is a token. */
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
  const wordEnd = runEnd(text, wordStart, maxWordLength, isWord);
  if (wordEnd > wordStart) return wordEnd;
  if (isBlank(first)) return runEnd(text, start, maxBlankLength, isBlank);
  return start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
}

export function countTokens(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index = tokenEnd(text, index)) count += 1;
  return count;
}

export function countPromptTokens(messages: readonly { readonly content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + countTokens(content) + messageCost, 0);
}

/**
 * The tokens of a text that arrives in pieces, lazily. They do not depend on where the pieces end, and are as many as
 * {@link countTokens} counts.
 */
export function* tokensOf(pieces: Iterable<string>): Generator<string, void, undefined> {
  let held = '';
  for (const piece of pieces) {
    const text = held + piece;
    let start = 0;
    // The next piece may lengthen a token that ends near the end of this one.
    const undecided = text.length - maxBlankLength - 1;
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
