import { stringEnd } from './json.ts';

/** A number of a JSON text that `JSON.parse` changes. */
interface InexactNumber {
  /** As it is written. */
  readonly text: string;
  /** The field of the outermost object that it is in; undefined outside of one. */
  readonly field: string | undefined;
}

/** Without one of these no number of a text can be inexact: sixteen digits, or an exponent of three. */
const mayBeInexact = /[\d.]{16}|\d[eE][+-]?\d{3}/;
const numberPattern = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The digits of a decimal number without outer zeros, and the power of ten of the last. */
function decimalOf(text: string): string {
  const [, whole = '', part = '', power = '0'] = /^-?(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(power) - part.length + digits.length - significant.length}`;
}

/** Longer than any number that JavaScript holds, written in whatever way. */
const longestNumber = 1000;

const isExact = (text: string) =>
  text.length <= longestNumber && decimalOf(text) === decimalOf(JSON.stringify(Number(text)));

/**
 * Numbers of a JSON text that JavaScript cannot hold: 12345678901234567890 becomes 12345678901234567000, and 1e400
 * becomes null. `text` must be valid JSON.
 */
export function* inexactNumbers(text: string): Generator<InexactNumber, void> {
  if (!mayBeInexact.test(text)) return;
  let depth = 0;
  let field: string | undefined;
  for (let at = 0; at < text.length;) {
    const character = text[at] ?? '';
    const start = at;
    at += 1;
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      at = stringEnd(text, at) + 1;
      if (depth === 1 && /^\s*:/.test(text.slice(at, at + 100))) {
        field = JSON.parse(text.slice(start, at)) as string;
      }
    } else if (/[-\d]/.test(character)) {
      numberPattern.lastIndex = start;
      const [number = ''] = numberPattern.exec(text) ?? [];
      at = start + number.length;
      if (!isExact(number)) yield { text: number, field };
    }
  }
}
