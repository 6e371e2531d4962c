import { previousBoundary } from './grapheme-boundary.ts';
import { moveToEntry } from './history.ts';
import type { History, HistoryStep } from './history.ts';
import { cleanText, contentOf } from './paste.ts';
import type { Draft } from './text-buffer.ts';

/** A history search, newest first. The composer's draft is kept until the search ends. */
export interface HistorySearch {
  readonly query: string;
  /** Index of the last match; undefined before the first one. */
  readonly match: number | undefined;
  /** No further match; `match` is still the last one. */
  readonly isFailed: boolean;
}

export function startSearch(): HistorySearch {
  return { query: '', match: undefined, isFailed: false };
}

/** Smart case: a query without capitals ignores case. */
function contains(entry: Draft, query: string): boolean {
  const content = contentOf(entry);
  return query === query.toLowerCase()
    ? content.toLowerCase().includes(query)
    : content.includes(query);
}

function find(
  history: History,
  search: HistorySearch,
  from: number,
  direction: -1 | 1,
): HistorySearch {
  const { entries } = history;
  if (search.query === '') return { ...search, match: undefined, isFailed: false };
  const shown = search.match === undefined ? undefined : entries[search.match];
  const shownContent = shown === undefined ? undefined : contentOf(shown);
  for (let index = from; index >= 0 && index < entries.length; index += direction) {
    const entry = entries[index];
    if (entry === undefined || !contains(entry, search.query)) continue;
    // Skips repeated entries.
    const isSame = index !== search.match && contentOf(entry) === shownContent;
    if (!isSame) return { ...search, match: index, isFailed: false };
  }
  return { ...search, isFailed: true };
}

function newestIndex(history: History): number {
  return history.entries.length - 1;
}

/** Appends to the query; keeps the current match if it still matches. */
export function extendQuery(history: History, search: HistorySearch, text: string): HistorySearch {
  const query = search.query + cleanText(text);
  return find(history, { ...search, query }, search.match ?? newestIndex(history), -1);
}

/** Removes the query's last character and searches again from the newest entry. */
export function shortenQuery(history: History, search: HistorySearch): HistorySearch {
  const query = search.query.slice(0, previousBoundary(search.query, search.query.length));
  return find(history, { query, match: undefined, isFailed: false }, newestIndex(history), -1);
}

export function searchOlder(history: History, search: HistorySearch): HistorySearch {
  return find(history, search, (search.match ?? history.entries.length) - 1, -1);
}

export function searchNewer(history: History, search: HistorySearch): HistorySearch {
  return find(history, search, (search.match ?? newestIndex(history)) + 1, 1);
}

/** The matching entry, if any. */
export function matchOf(history: History, { match }: HistorySearch): Draft | undefined {
  return match === undefined ? undefined : history.entries[match];
}

/** Recalls the match, with the draft as the newest entry; without a match, returns the draft. */
export function acceptSearch(history: History, search: HistorySearch, current: Draft): HistoryStep {
  return search.match === undefined
    ? { history, draft: current }
    : moveToEntry(history, search.match, current);
}
