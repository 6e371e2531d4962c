import type { Message } from '../client/contract.ts';

const asciiPerToken = 4;
/** Tokens for the role and the separators of a message in common chat formats. */
const tokensPerMessage = 4;

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

/** One token for 4 ASCII characters, and one for every other character: rather too high, for any tokenizer. */
export function tokensFor({ ascii, other }: CharacterCount): number {
  return Math.ceil(ascii / asciiPerToken) + other;
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
