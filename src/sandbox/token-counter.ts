/**
 * A token: an optional space and up to six letters or digits (ASCII, or of an alphabet below U+2000), up to eight
 * blanks, or one other character. It has about four bytes of English.
 */
const tokenPattern = / ?[\w\u00c0-\u1fff]{1,6}|[\t-\r \u00a0]{1,8}|[^]/suy;
const longestToken = 9;

/** Tokens of each message in addition to its text. */
const messageCost = 3;

/** Index after the token that begins at `start`, which is below `text.length`. Never inside a surrogate pair. */
function tokenEnd(text: string, start: number): number {
  tokenPattern.lastIndex = start;
  tokenPattern.test(text);
  return tokenPattern.lastIndex;
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
  // The next piece may lengthen a token that ends near the end of this one.
  function* takeUntil(limit: number): Generator<string, void, undefined> {
    let start = 0;
    while (start < limit) {
      const end = tokenEnd(held, start);
      yield held.slice(start, end);
      start = end;
    }
    held = held.slice(start);
  }
  for (const piece of pieces) {
    held += piece;
    yield* takeUntil(held.length - longestToken);
  }
  yield* takeUntil(held.length);
}
