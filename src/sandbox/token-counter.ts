/**
 * A token: an optional space and up to six letters or digits (ASCII, or of an alphabet below U+2000), up to eight
 * blanks, or one other character. It has about four bytes of English.
 */
const tokenPattern = / ?[\w\u00c0-\u1fff]{1,6}|[\t-\r \u00a0]{1,8}|[^]/suy;

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

/** The tokens of a text, lazily: as many as {@link countTokens} counts. */
export function* tokensOf(text: string): Generator<string, void, undefined> {
  for (let start = 0; start < text.length;) {
    const end = tokenEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}
