import { displayWidth, truncateToWidth } from '../../terminal/text/width.ts';
import type { Symbols } from './appearance.ts';

/** A part of a line. If not all parts fit, those with the lowest priority are omitted. */
export interface LinePart {
  readonly text: string;
  readonly priority: number;
  /** It may be shortened to this width before any part is omitted. */
  readonly minColumns?: number;
}

export function shorten(text: string, columns: number, { ellipsis }: Symbols): string {
  return truncateToWidth(text, columns, ellipsis);
}

/** Shortens one part by `excess` columns; undefined if no part allows it. */
function shortened(
  parts: readonly LinePart[],
  excess: number,
  symbols: Symbols,
): readonly LinePart[] | undefined {
  const found = parts.find(
    ({ text, minColumns }) => minColumns !== undefined && displayWidth(text) - excess >= minColumns,
  );
  if (found === undefined) return undefined;
  const text = shorten(found.text, displayWidth(found.text) - excess, symbols);
  return parts.map((part) => (part === found ? { ...part, text } : part));
}

const joined = (parts: readonly LinePart[], { dot }: Symbols) =>
  parts.map(({ text }) => text).join(dot);

/** The parts that fit, in order. */
export function fitParts(parts: readonly LinePart[], columns: number, symbols: Symbols): string {
  const kept = parts.filter(({ text }) => text !== '');
  for (;;) {
    const line = joined(kept, symbols);
    const excess = displayWidth(line) - columns;
    if (kept.length < 2 || excess <= 0) return shorten(line, columns, symbols);
    const fitting = shortened(kept, excess, symbols);
    if (fitting !== undefined) return joined(fitting, symbols);
    const lowest = Math.min(...kept.map(({ priority }) => priority));
    kept.splice(
      kept.findLastIndex(({ priority }) => priority === lowest),
      1,
    );
  }
}
