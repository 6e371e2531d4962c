import { withoutLast } from './grapheme-boundary.ts';
import { normalizeText, contentOf, isTooLongToType } from './paste.ts';
import { createBuffer, draftFrom, draftOf, insertPaste, type Draft } from './text-buffer.ts';

/**
 * Sent prompts and the position among them. The unsent draft is the newest entry. Edits to a recalled prompt stay
 * until something is sent, so browsing the history loses nothing.
 */
export interface History {
  /** Oldest first. */
  readonly entries: readonly Draft[];
  /** Index of the entry in the composer; `entries.length` means the draft. */
  readonly position: number;
  /** Edited entries and the draft, by index. */
  readonly edits: ReadonlyMap<number, Draft>;
}

/** The history after one step, and the new content of the composer. */
export interface HistoryStep {
  readonly history: History;
  readonly draft: Draft;
}

const maxEntries = 2000;

/** UTF-16 units. */
const maxHeadingLength = 500;
/** A first paragraph that is short enough to move through with Up, else the first line. */
const heading = /^(?:[^\n]*\n){1,4}?\n|^[^\n]*\n/;

/**
 * A draft of a stored text, whose pastes are no longer known. If it is longer than anyone types, everything after its
 * heading, which is often the question about the rest, becomes a paste marker with `number`.
 */
export function recalledDraft(text: string, number = 1): Draft {
  const clean = normalizeText(text);
  if (!isTooLongToType(clean)) return draftFrom(clean);
  const [start = ''] = heading.exec(clean.slice(0, maxHeadingLength)) ?? [];
  const buffer = { ...createBuffer(start), pasteCount: number - 1 };
  return draftOf(insertPaste(buffer, clean.slice(start.length)));
}

export function createHistory(texts: readonly string[] = []): History {
  // A leading slash stays typed text: inside a paste marker it would not start a command.
  const entries = texts
    .slice(-maxEntries)
    .map((text) => (text.startsWith('/') ? draftFrom(text) : recalledDraft(text)));
  return { entries, position: entries.length, edits: new Map() };
}

const nothing = draftFrom('');

function draftAt(history: History, index: number): Draft {
  return history.edits.get(index) ?? history.entries[index] ?? nothing;
}

/** Moves to an entry (`entries.length` for the draft) and keeps the composer's text at its place. */
function moveToEntry(history: History, index: number, current: Draft): HistoryStep {
  const edits = new Map(history.edits).set(history.position, current);
  const next = { ...history, edits, position: index };
  return { history: next, draft: draftAt(next, index) };
}

/** The older or newer entry; undefined at the oldest prompt, and at the draft, which follows the newest one. */
export function entryBeside(history: History, by: -1 | 1, current: Draft): HistoryStep | undefined {
  const index = history.position + by;
  const isBeyond = index < 0 || index > history.entries.length;
  return isBeyond ? undefined : moveToEntry(history, index, current);
}

/**
 * Adds a text that was sent or cleared by Ctrl+C, unless it is empty or repeats the newest entry. The returned `draft`
 * goes into the composer: empty, or the unsent draft if a recalled prompt was sent.
 */
export function addEntry(history: History, sent: Draft): HistoryStep {
  const wasDraft = history.position === history.entries.length;
  const draft = wasDraft ? nothing : draftAt(history, history.entries.length);
  const content = contentOf(sent);
  const newest = history.entries.at(-1);
  const isKnown = newest !== undefined && contentOf(newest) === content;
  const entries =
    content.trim() === '' || isKnown
      ? history.entries
      : [...history.entries.slice(1 - maxEntries), { ...sent, cursor: sent.text.length }];
  return { history: { entries, position: entries.length, edits: new Map() }, draft };
}

/** A history search. The composer's draft is kept until the search ends. */
export interface HistorySearch {
  readonly query: string;
  /** Indices of the entries with the query, newest first; of equal ones after each other, only the newest. */
  readonly matches: readonly number[];
  /** Index of the last match; undefined before the first one. */
  readonly match: number | undefined;
  /** No further match; `match` is still the last one. */
  readonly isFailed: boolean;
}

export function startSearch(): HistorySearch {
  return { query: '', matches: [], match: undefined, isFailed: false };
}

/** Smart case: a query without capitals ignores case. */
export function contains(entry: Draft, query: string): boolean {
  const content = contentOf(entry);
  const isExact = query !== query.toLowerCase();
  return (isExact ? content : content.toLowerCase()).includes(query);
}

/** Appends to the query; keeps the current match if it still matches. */
export function extendQuery({ entries }: History, search: HistorySearch, text: string) {
  const query = search.query + normalizeText(text);
  if (query === '') return startSearch();
  const all = entries.flatMap((entry, index) =>
    contains(entry, query) ? [{ index, content: contentOf(entry) }] : [],
  );
  const newest = all.filter(({ content }, place) => content !== all[place + 1]?.content);
  const matches = newest.map(({ index }) => index).toReversed();
  const { match = entries.length } = search;
  const found = matches.find((index) => index <= match);
  return { query, matches, match: found ?? search.match, isFailed: found === undefined };
}

/** Removes the query's last character and searches again from the newest entry. */
export function shortenQuery(history: History, search: HistorySearch): HistorySearch {
  return extendQuery(history, startSearch(), withoutLast(search.query));
}

function moveTo(search: HistorySearch, match: number | undefined): HistorySearch {
  if (match === undefined) return { ...search, isFailed: search.query !== '' };
  return { ...search, match, isFailed: false };
}

const olderThan = ({ matches, match = 0 }: HistorySearch) =>
  matches.filter((index) => index < match);

export const searchOlder = (search: HistorySearch) => moveTo(search, olderThan(search)[0]);

export function searchNewer(search: HistorySearch): HistorySearch {
  const { matches, match = 0 } = search;
  const newer = matches.findLast((index) => index > match);
  return moveTo(search, newer);
}

/** Up to `count` matches that are older than the current one, newest first. */
export function olderMatches(
  { entries }: History,
  search: HistorySearch,
  count: number,
): readonly Draft[] {
  return olderThan(search)
    .slice(0, count)
    .flatMap((index) => entries[index] ?? []);
}

export function matchOf(history: History, { match }: HistorySearch): Draft | undefined {
  return match === undefined ? undefined : history.entries[match];
}

/** Recalls a match as it was sent, which may replace an edit of it, with the draft as the newest entry. */
export function acceptMatch(history: History, match: number, current: Draft): HistoryStep {
  const { history: next, draft } = moveToEntry(history, match, current);
  const edits = new Map(next.edits);
  edits.delete(match);
  return { history: { ...next, edits }, draft: next.entries[match] ?? draft };
}
