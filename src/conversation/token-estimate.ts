import type { Message } from '../client/contract.ts';

/** Tokens of one character, as a model has counted them. */
export interface TokenRatio {
  readonly ascii?: number | undefined;
  readonly other?: number | undefined;
}

/** By model id. */
export type TokenRatios = ReadonlyMap<string, TokenRatio>;

const usualAscii = 1 / 4;
const usualOther = 1;
/** Tokens for the role and the separators of a message in common chat formats. */
export const tokensPerMessage = 4;

/** The characters of a text: ASCII, and all others. */
export interface CharacterCount {
  ascii: number;
  other: number;
}

/** Adds the characters of a text to a count. */
export function countCharacters(text: string, count: CharacterCount): void {
  let ascii = 0;
  let other = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) ascii += 1;
    else if (unit < 0xdc00 || unit > 0xdfff) other += 1;
  }
  count.ascii += ascii;
  count.other += other;
}

function unroundedTokens({ ascii, other }: CharacterCount, ratio?: TokenRatio): number {
  return ascii * (ratio?.ascii ?? usualAscii) + other * (ratio?.other ?? usualOther);
}

/**
 * Without a ratio of the model: one token for 4 ASCII characters, and one for every other character, which is rather too
 * high for any tokenizer.
 */
export function tokensFor(count: CharacterCount, ratio?: TokenRatio): number {
  return Math.ceil(unroundedTokens(count, ratio));
}

/** Not rounded, for a sum over the pieces of a text. */
export function tokensOfPiece(text: string, ratio?: TokenRatio): number {
  const count = { ascii: 0, other: 0 };
  countCharacters(text, count);
  return unroundedTokens(count, ratio);
}

export function estimateTokens(text: string, ratio?: TokenRatio): number {
  const count = { ascii: 0, other: 0 };
  countCharacters(text, count);
  return tokensFor(count, ratio);
}

export function estimateMessages(messages: readonly Message[], ratio?: TokenRatio): number {
  return messages.reduce(
    (sum, message) => sum + tokensPerMessage + estimateTokens(message.content, ratio),
    0,
  );
}
