import { previousBoundary } from './grapheme-boundary.ts';
import { goTo } from './history.ts';
import type { History, HistoryStep } from './history.ts';
import { cleanText, contentOf } from './keys/paste.ts';
import type { Draft } from './text-buffer.ts';

/** A search through the history, newest first; the composer's draft waits until it ends. */
export interface HistorySearch {
  readonly query: string;
  /** Index of the entry found last; undefined before the first one. */
  readonly match: number | undefined;
  /** Nothing older (or newer) holds the query; `match` is where the search stood before. */
  readonly isFailed: boolean;
}

export function startSearch(): HistorySearch {
  return { query: '', match: undefined, isFailed: false };
}

/** Queries without capitals find both; those with capitals find what is written like them. */
function holds(entry: Draft, query: string): boolean {
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
    if (entry === undefined || !holds(entry, search.query)) continue;
    // Going on means to another text.
    const isSame = index !== search.match && contentOf(entry) === shownContent;
    if (!isSame) return { ...search, match: index, isFailed: false };
  }
  return { ...search, isFailed: true };
}

function newestIndex(history: History): number {
  return history.entries.length - 1;
}

/** The search for more; it stays at the entry found when that one holds it too. */
export function extendQuery(history: History, search: HistorySearch, text: string): HistorySearch {
  const query = search.query + cleanText(text);
  return find(history, { ...search, query }, search.match ?? newestIndex(history), -1);
}

/** The search for one character less, from the newest entry on. */
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

/** The entry found; undefined when there is none to show. */
export function matchOf(history: History, { match }: HistorySearch): Draft | undefined {
  return match === undefined ? undefined : history.entries[match];
}

/** Takes the entry found into the composer; the draft stays the newest entry. Without a match, the draft. */
export function acceptSearch(history: History, search: HistorySearch, current: Draft): HistoryStep {
  return search.match === undefined
    ? { history, draft: current }
    : goTo(history, search.match, current);
}
