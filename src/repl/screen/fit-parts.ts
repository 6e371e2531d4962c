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

/** The parts that fit, in order; a single part is shortened. */
export function fittingParts<Part extends LinePart>(
  parts: readonly Part[],
  columns: number,
  { dot }: Symbols,
  separator = dot,
): readonly Part[] {
  const kept = parts.filter(({ text }) => text !== '');
  for (;;) {
    const excess = displayWidth(kept.map(({ text }) => text).join(separator)) - columns;
    if (excess <= 0) return kept;
    const room = ({ text }: LinePart) => displayWidth(text) - excess;
    const isSingle = kept.length === 1;
    const flexible = kept.find(
      (part) => isSingle || (part.minColumns !== undefined && room(part) >= part.minColumns),
    );
    if (flexible !== undefined) {
      const text = truncateToWidth(flexible.text, room(flexible));
      return kept.map((part) => (part === flexible ? { ...part, text } : part));
    }
    const lowest = Math.min(...kept.map(({ priority }) => priority));
    kept.splice(
      kept.findLastIndex(({ priority }) => priority === lowest),
      1,
    );
  }
}

/** The parts that fit, in one line. */
export function fitParts(parts: readonly LinePart[], columns: number, symbols: Symbols): string {
  const fitting = fittingParts(parts, columns, symbols);
  return fitting.map(({ text }) => text).join(symbols.dot);
}
