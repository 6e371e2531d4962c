import { searchTerms } from '../../conversation/library/search-terms.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { Symbols } from '../text/symbols.ts';
import { shorten } from '../view/fit-parts.ts';

interface Room {
  readonly query: string;
  readonly symbols: Symbols;
}

/** The text in that many columns; it begins with the first hit of the query if that would not be in them. */
export function fitExcerpt(excerpt: string, columns: number, { query, symbols }: Room): string {
  const text = sanitizeLine(excerpt).trim();
  const lower = text.toLowerCase();
  const term = searchTerms(query.toLowerCase()).find((one) => lower.includes(one)) ?? '';
  const at = lower.indexOf(term);
  const isShown = displayWidth(text.slice(0, at + term.length)) < columns;
  return shorten(isShown ? text : symbols.ellipsis + text.slice(at), columns, symbols);
}
