import { displayWidth, truncateToWidth } from '../../terminal/text/width.ts';
import type { Signs } from './appearance.ts';

/** A part of a line. If they do not all fit, those with the lowest `worth` are omitted. */
export interface LinePart {
  readonly text: string;
  readonly worth: number;
  /** Columns to which it may be shortened before any part is omitted. */
  readonly least?: number;
}

/** Truncates a text with an ellipsis. */
export function shorten(text: string, columns: number, { ellipsis }: Signs): string {
  return truncateToWidth(text, columns, ellipsis);
}

/** Shortens one part by `columns`; undefined if no part can be shortened. */
function shortened(
  parts: readonly LinePart[],
  excess: number,
  signs: Signs,
): readonly LinePart[] | undefined {
  const room = ({ text, least = Number.POSITIVE_INFINITY }: LinePart) =>
    displayWidth(text) - excess >= least;
  const found = parts.find(room);
  if (found === undefined) return undefined;
  const text = shorten(found.text, displayWidth(found.text) - excess, signs);
  return parts.map((part) => (part === found ? { ...part, text } : part));
}

const joined = (parts: readonly LinePart[], { dot }: Signs) =>
  parts.map(({ text }) => text).join(dot);

/** The parts that fit, in order. */
export function fitParts(parts: readonly LinePart[], columns: number, signs: Signs): string {
  const kept = parts.filter(({ text }) => text !== '');
  for (;;) {
    const line = joined(kept, signs);
    const excess = displayWidth(line) - columns;
    if (kept.length < 2 || excess <= 0) return shorten(line, columns, signs);
    const fitting = shortened(kept, excess, signs);
    if (fitting !== undefined) return joined(fitting, signs);
    const least = Math.min(...kept.map(({ worth }) => worth));
    kept.splice(
      kept.findLastIndex(({ worth }) => worth === least),
      1,
    );
  }
}
