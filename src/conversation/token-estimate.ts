import type { Message } from '../client/contract.ts';

const perAscii = 1 / 4;
const perOther = 1;
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

function unroundedTokens({ ascii, other }: CharacterCount): number {
  return ascii * perAscii + other * perOther;
}

/** One token for 4 ASCII characters, and one for every other character. No tokenizer is part of natter. */
export function tokensFor(count: CharacterCount): number {
  return Math.ceil(unroundedTokens(count));
}

/** Not rounded, for a sum over the pieces of a text. */
export function tokensOfPiece(text: string): number {
  const count = { ascii: 0, other: 0 };
  countCharacters(text, count);
  return unroundedTokens(count);
}

export function estimateTokens(text: string): number {
  const count = { ascii: 0, other: 0 };
  countCharacters(text, count);
  return tokensFor(count);
}

export function estimateMessages(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, message) => sum + tokensPerMessage + estimateTokens(message.content),
    0,
  );
}
