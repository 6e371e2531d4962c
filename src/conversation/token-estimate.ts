import type { Message } from '../client/contract.ts';

const asciiPerToken = 4;
/** Tokens for the role and the separators of a message in common chat formats. */
const tokensPerMessage = 4;

/** One token for 4 ASCII characters, and one for every other character: rather too high, for any tokenizer. */
export function estimateTokens(text: string): number {
  let ascii = 0;
  let other = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) ascii += 1;
    else if (unit < 0xdc00 || unit > 0xdfff) other += 1;
  }
  return Math.ceil(ascii / asciiPerToken) + other;
}

export function estimateMessages(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, message) => sum + tokensPerMessage + estimateTokens(message.content),
    0,
  );
}
