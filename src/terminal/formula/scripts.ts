import { peek, readArgument, type Reader } from './reader.ts';
import { subscripts, superscripts } from './symbols.ts';

/** A superscript (`^`) or subscript (`_`), after its mark. */
export function scriptText(reader: Reader, mark: '^' | '_'): string {
  const text = readArgument(reader);
  return raise(text, mark, /[\p{L}\p{N}]/u.test(peek(reader)));
}

/**
 * The text in raised or lowered characters if all of it has them, else after its mark.
 * @param isFollowed a letter or digit follows directly
 */
export function raise(text: string, mark: '^' | '_', isFollowed = false): string {
  const characters = mark === '^' ? superscripts : subscripts;
  const compact = text.replaceAll(' ', '');
  const raised = Array.from(compact, (character) => characters.get(character));
  if (raised.every((character) => character !== undefined)) return raised.join('');
  const needsNone = mark === '_' ? /^\p{L}+$/u : /^(?:\p{L}\p{M}*|[∞∗])$/u;
  return needsNone.test(text) && !isFollowed ? mark + text : `${mark}(${compact})`;
}

/** A number, a word, a root or a group, which needs no parentheses. */
const simple = /^√?(?:[\p{L}\p{N}\p{M}∞∂∇′]+|\([^()]*\)|\|[^|]*\|)$/u;
/** A function or a product that ends in a group. */
const product = /^[\p{L}\p{N}\p{M}∂]+\([^()]*\)$/u;

export function fractionText(above: string, below: string): string {
  const over = simple.test(above) || product.test(above) ? above : `(${above})`;
  return `${over}/${simple.test(below) ? below : `(${below})`}`;
}
