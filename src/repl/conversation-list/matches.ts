import { searchTerms } from '../../conversation/library/search-terms.ts';
import { andThen, step, type Step } from '../reducer/step.ts';
import type { ConversationList, ListedConversation } from '../state/conversation-list.ts';
import type { Effect } from '../state/effect.ts';
import type { OpenList, ReplState } from '../state/state.ts';

export interface Match {
  readonly row: ListedConversation;
  /** Around the first hit in its texts. */
  readonly excerpt: string | undefined;
}

/** Matches that are read beyond the selected one. */
const ahead = 50;

const isSearch = ({ searchesTexts, query }: ConversationList) =>
  searchesTexts && searchTerms(query).length > 0;

/** The conversations with every term of the query in their title, model or id, or in their texts; newest first. */
export function matchesOf(list: ConversationList): readonly Match[] {
  const terms = searchTerms(list.query.toLowerCase());
  const isSearched = isSearch(list);
  return list.rows.flatMap((row, index) => {
    if (row === undefined) return [];
    const excerpt = isSearched ? list.excerpts[index] : undefined;
    const isMatch = excerpt !== undefined || terms.every((term) => row.filtered.includes(term));
    return isMatch ? [{ row, excerpt }] : [];
  });
}

/** All conversations, without those that turned out to be unreadable. */
export const totalOf = ({ entries, rows }: ConversationList): number =>
  entries.length - rows.filter((row) => row === undefined).length;

/** Whether further entries may match. */
export function isComplete(list: ConversationList): boolean {
  const { entries, rows, excerpts } = list;
  return rows.length === entries.length && (!isSearch(list) || excerpts.length >= rows.length);
}

function nextReading(list: ConversationList, count: number): Effect | undefined {
  const { entries, rows, excerpts, query, selected } = list;
  if (list.isReading || count > selected + ahead || isComplete(list)) return undefined;
  return isSearch(list) && excerpts.length < rows.length
    ? { type: 'search-list', entries, from: excerpts.length, query: query.trim() }
    : { type: 'read-list', entries, from: rows.length };
}

/** Keeps the selection within the matches, and reads what is missing of the list and of the preview. */
export function settle(state: ReplState, changed: OpenList, followsLast = false): Step {
  const matches = matchesOf(changed);
  const wanted = followsLast ? matches.length : changed.selected;
  const selected = Math.max(0, Math.min(wanted, matches.length - 1));
  const list = { ...changed, selected, followsLast };
  const reading = nextReading(list, matches.length);
  const next = { ...list, isReading: list.isReading || reading !== undefined };
  const entry = matches[selected]?.row.entry;
  const read = step({ ...state, list: next }, ...(reading === undefined ? [] : [reading]));
  const isPassing = followsLast && next.isReading;
  if (state.isLineMode || isPassing || entry === undefined || entry.id === list.preview?.id) {
    return read;
  }
  const preview = { id: entry.id, turns: undefined };
  return andThen(read, (shown) =>
    step(
      { ...shown, list: { ...next, preview } },
      { type: 'preview-conversation', entries: list.entries, entry },
    ),
  );
}
