import { displayWidth, splitAtWidth } from '../../terminal/width.ts';
import type { Signs } from './appearance.ts';

/** A part of a line. Where there is no room for all, those with the lowest `worth` are left out. */
export interface LinePart {
  readonly text: string;
  readonly worth: number;
}

/** The text, or its beginning where it is too wide, with a sign that there is more. */
export function shorten(text: string, columns: number, { ellipsis }: Signs): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - displayWidth(ellipsis);
  return room < 1 ? splitAtWidth(text, columns)[0] : splitAtWidth(text, room)[0] + ellipsis;
}

/** As many parts as fit, in their order. */
export function fitParts(parts: readonly LinePart[], columns: number, signs: Signs): string {
  const kept = parts.filter(({ text }) => text !== '');
  for (;;) {
    const line = kept.map(({ text }) => text).join(signs.dot);
    if (kept.length < 2 || displayWidth(line) <= columns) return shorten(line, columns, signs);
    const least = Math.min(...kept.map(({ worth }) => worth));
    kept.splice(
      kept.findLastIndex(({ worth }) => worth === least),
      1,
    );
  }
}
