import type { SandboxLimits } from './limits.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Index of the quote that ends the string which begins before `start`, or the length of `bytes`. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let index = start;
  for (; index < bytes.length && bytes[index] !== quote; index += 1) {
    if (bytes[index] === backslash) index += 1;
  }
  return index;
}

/**
 * Looks for more depth or values than the limits allow, before anything is parsed: in one pass, without recursion
 * and without memory of its own. Text that is no JSON is measured as far as a parser would read it.
 * @returns the excess as a sentence, or undefined where there is none
 */
export function jsonExcess(
  bytes: Uint8Array,
  { depth: deepest, values: most }: Pick<SandboxLimits, 'depth' | 'values'>,
): string | undefined {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) index = stringEnd(bytes, index + 1);
    else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      values += 1;
    } else if (byte === comma) values += 1;
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > deepest) return `the request body is nested more than ${deepest} deep`;
    if (values > most) return `the request body has more than ${most} values`;
  }
  return undefined;
}
