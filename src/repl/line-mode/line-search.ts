import {
  acceptSearch,
  extendQuery,
  searchOlder,
  startSearch,
  type History,
  type HistorySearch,
  type HistoryStep,
} from '../composer/history.ts';
import type { Draft } from '../composer/text-buffer.ts';

/** A search of earlier prompts, from Ctrl+R on. `draft` is the line before it. */
export type LineSearch =
  | { readonly phase: 'asking'; readonly draft: Draft }
  | {
      readonly phase: 'found';
      readonly draft: Draft;
      readonly query: string;
      /** Newest first. */
      readonly matches: readonly HistorySearch[];
      /** Index of the match on the line. */
      readonly index: number;
      /** The text of that match; a changed line ends the search. */
      readonly text: string;
    };

/** The line after a step of the search, and what to say. */
export interface SearchStep {
  readonly search: LineSearch | undefined;
  readonly found: HistoryStep | undefined;
  readonly words: string;
}

function matchesOf(history: History, query: string): readonly HistorySearch[] {
  const matches: HistorySearch[] = [];
  let search = extendQuery(history, startSearch(), query);
  while (!search.isFailed && search.match !== undefined) {
    matches.push(search);
    search = searchOlder(history, search);
  }
  return matches;
}

function matchWords(index: number, count: number, key: string): string {
  const older = index + 1 < count ? `; ${key} finds an older one` : '';
  return `match ${index + 1} of ${count}${older}`;
}

function show(
  history: History,
  search: Omit<LineSearch & { readonly phase: 'found' }, 'text'>,
  key: string,
): SearchStep {
  const { matches, index, draft } = search;
  const match = matches[index];
  const found = match && acceptSearch(history, match, draft);
  return {
    search: { ...search, text: found?.draft.text ?? '' },
    found,
    words: matchWords(index, matches.length, key),
  };
}

/** Shows the newest prompt that contains the query; `key` finds an older one. */
export function searchFor(history: History, query: string, draft: Draft, key: string): SearchStep {
  const matches = matchesOf(history, query);
  if (matches.length > 0)
    return show(history, { phase: 'found', draft, query, matches, index: 0 }, key);
  return { search: undefined, found: undefined, words: `no earlier prompt contains "${query}"` };
}

/** Shows the next older match. */
export function searchFurther(
  history: History,
  search: LineSearch & { readonly phase: 'found' },
  key: string,
): SearchStep {
  const index = search.index + 1;
  if (index < search.matches.length) return show(history, { ...search, index }, key);
  return { search, found: undefined, words: `no older prompt contains "${search.query}"` };
}
