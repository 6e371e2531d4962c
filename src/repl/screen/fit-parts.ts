import { displayWidth, graphemes, truncateToWidth } from '../../terminal/text/width.ts';
import type { Symbols } from './symbols.ts';

/** A part of a line. If not all parts fit, those with the lowest priority are omitted. */
export interface LinePart {
  readonly text: string;
  readonly priority: number;
  /** It may be shortened to this width before any part is omitted. */
  readonly minColumns?: number;
  /** The key at the start of a hint, such as `Esc stops`. */
  readonly key?: string;
}

/** The end of a text that fits in `columns`, in whole characters. */
export function fittingEnd(text: string, columns: number): string {
  let excess = displayWidth(text) - columns;
  let start = 0;
  for (const character of graphemes(text)) {
    if (excess <= 0) break;
    excess -= displayWidth(character);
    start += character.length;
  }
  return text.slice(start);
}

/** Shortens one part by `excess` columns; undefined if no part allows it. */
function shortened<Part extends LinePart>(
  parts: readonly Part[],
  excess: number,
): readonly Part[] | undefined {
  const found = parts.find(
    ({ text, minColumns }) => minColumns !== undefined && displayWidth(text) - excess >= minColumns,
  );
  if (found === undefined) return undefined;
  const width = displayWidth(found.text) - excess;
  const text = truncateToWidth(found.text, width);
  return parts.map((part) => (part === found ? { ...part, text } : part));
}

const joined = (parts: readonly LinePart[], separator: string) =>
  parts.map(({ text }) => text).join(separator);

/** The parts that fit, in order; a single part is shortened. */
export function fittingParts<Part extends LinePart>(
  parts: readonly Part[],
  columns: number,
  symbols: Symbols,
  separator = symbols.dot,
): readonly Part[] {
  const kept = parts.filter(({ text }) => text !== '');
  for (;;) {
    const excess = displayWidth(joined(kept, separator)) - columns;
    if (excess <= 0) return kept;
    if (kept.length < 2)
      return kept.map((part) => ({ ...part, text: truncateToWidth(part.text, columns) }));
    const fitting = shortened(kept, excess);
    if (fitting !== undefined) return fitting;
    const lowest = Math.min(...kept.map(({ priority }) => priority));
    kept.splice(
      kept.findLastIndex(({ priority }) => priority === lowest),
      1,
    );
  }
}

/** The parts that fit, in one line. */
export function fitParts(parts: readonly LinePart[], columns: number, symbols: Symbols): string {
  return joined(fittingParts(parts, columns, symbols), symbols.dot);
}
