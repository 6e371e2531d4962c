import type { Message } from '../client/contract.ts';
import { textMessages } from './message-text.ts';

const asciiRatio = 1 / 4;
/** Tokens for the role and the separators of a message in common chat formats. */
export const tokensPerMessage = 4;

/** One token for 4 ASCII characters, and one for every other character; not rounded, for sums. No tokenizer is part of natter. */
export function tokensOfPiece(text: string): number {
  let ascii = 0;
  let other = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) ascii += 1;
    else if (unit < 0xdc00 || unit > 0xdfff) other += 1;
  }
  return ascii * asciiRatio + other;
}

export function estimateTokens(text: string): number {
  return Math.ceil(tokensOfPiece(text));
}

export const estimateMessages = (messages: readonly Message[]): number =>
  textMessages(messages).reduce(
    (sum, { content }) => sum + tokensPerMessage + estimateTokens(content),
    0,
  );

/** Tokens of one character, at least: Chinese, Japanese and Korean; other scripts than Latin. */
const ideograph = 0.5;
const letter = 0.25;
const firstIdeograph = '\u2e80';

/** A request is suspected below this share of the expected tokens, if more than `fewTokens` are missing. */
const share = 0.6;
const fewTokens = 500;

/**
 * Tokens of a text at least, so that no usual tokenizer counts much fewer: runs of blanks and of the same character
 * count as one, and letters of other scripts as little as in their best tokenizers.
 */
function leastTokens(text: string): number {
  const short = text.replaceAll(/[\0-\x20]+/g, ' ').replaceAll(/(.)\1+/gsu, '$1');
  let tokens = 0;
  for (const character of short) {
    if (character < '\x80') tokens += asciiRatio;
    else tokens += character < firstIdeograph ? letter : ideograph;
  }
  return tokens;
}

/**
 * The tokens of the messages at least, if the service counted far fewer, which means that it probably cut the prompt;
 * undefined for any other count.
 */
export function suspectTruncation(
  messages: readonly Message[],
  counted: number,
): number | undefined {
  const texts = textMessages(messages);
  const characters = texts.reduce((sum, { content }) => sum + content.length, 0);
  // Most prompts are too short for it.
  if (characters / 2 - counted <= fewTokens) return undefined;
  const least = texts.reduce((sum, { content }) => sum + leastTokens(content), 0);
  const expected = Math.round(least);
  return counted < expected * share && expected - counted > fewTokens ? expected : undefined;
}
