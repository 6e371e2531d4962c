import { setImmediate as nextTick } from 'node:timers/promises';
import { searchTerms } from '../../conversation/library/search.ts';
import { Failure } from '../../failure.ts';
import type { Session } from '../session.ts';
import type { ListRow, OpenList, ReplState, Update } from '../state.ts';
import { startActivity, step, task, withKeysReleased } from '../step.ts';

/** Lists the conversations with the query in their titles or texts; keys typed meanwhile are for the list. */
export function openList(state: ReplState, wanted: Partial<OpenList> = {}): Update {
  const name = 'reading conversations';
  const started = startActivity(state, name, readConversations, wanted, withKeysReleased);
  if (state.isLineMode) return started;
  return { ...started, state: { ...started.state, typeAhead: { keys: [] } } };
}

/** Shows the list when it is read; a dialog that was open before waits until the list is closed. */
export async function readConversations(session: Session, wanted: Partial<OpenList>) {
  const rows = await session.library.read();
  if (rows.length === 0) {
    throw new Failure('not_found', 'there is no conversation yet', {
      hint: 'the first prompt starts one',
    });
  }
  const list: OpenList = {
    options: {},
    query: '',
    searchesTexts: false,
    ...wanted,
    openedAt: session.context.clock.date(),
    rows,
    excerpts: [],
    selected: 0,
    isReading: false,
    preview: undefined,
  };
  session.update((state) => {
    const { activity } = state;
    const dialog = activity?.type === 'task' ? activity.dialog : undefined;
    const ready = withKeysReleased({ ...state, activity: undefined });
    return settle(ready, { ...list, dialog });
  });
  return [];
}

/** Reads what the open list wants, a part at a time: keys and timers are handled between the parts. */
export async function readList(session: Session, { rows }: { readonly rows: readonly ListRow[] }) {
  for (;;) {
    await nextTick();
    const { list, isLineMode } = session.state();
    // It was closed, or opened again.
    if (list?.rows !== rows) return;
    const { library } = session;
    const row = unreadPreview(list, isLineMode);
    const isSearched = row === undefined && isBeingSearched(list);
    const { length } = list.excerpts;
    const found = isSearched ? library.search(rows, length, list.query.trim()) : [];
    const excerpts = [...list.excerpts, ...found];
    const preview = row === undefined ? list.preview : { id: row.id, turns: library.preview(row) };
    const isReading = row !== undefined || isSearched;
    session.update((state) => settle(state, { ...list, excerpts, preview, isReading }));
    if (!isReading) return;
  }
}

/** Closes the list; queued lines are sent then. The dialog that waited for it is open. */
export const closeList = (state: ReplState): ReplState =>
  state.list === undefined ? state : { ...state, list: undefined, dialog: state.list.dialog };

/** A conversation, and the text around the first hit in it. */
export type Match = ReturnType<typeof matchesOf>[number];

/** The words before a title in a list, and how a screen reader says them. @param current the open conversation */
export function rowMarks(row: ListRow, current: string) {
  const marks = row.marks.map((word: string) => ({ word, spoken: word }));
  if (row.id === current) marks.push({ word: 'this', spoken: 'this conversation' });
  if (row.isOpenElsewhere) marks.push({ word: 'open', spoken: 'open in another natter' });
  return marks;
}

const isSearch = ({ searchesTexts, query }: OpenList) =>
  searchesTexts && searchTerms(query).length > 0;

/**
 * The conversations with every term of the query in their title, model or id, or in their texts; in the order of the
 * list. Without a query, only the newest of those without an answer is among them, as a draft.
 */
export function matchesOf(list: OpenList) {
  const terms = searchTerms(list.query.toLowerCase());
  const isSearched = isSearch(list);
  const draft = list.rows.find(({ model }) => model === undefined);
  return list.rows.flatMap((row, index) => {
    const isOffered = row.model !== undefined || row === draft || row.marks.length > 0;
    if (terms.length === 0 && !isOffered) return [];
    const excerpt = isSearched ? list.excerpts[index] : undefined;
    const isMatch = excerpt !== undefined || terms.every((term) => row.filtered.includes(term));
    return isMatch ? [{ row, excerpt }] : [];
  });
}

/** Whether further rows may match. */
export const isBeingSearched = (list: OpenList): boolean =>
  isSearch(list) && list.excerpts.length < list.rows.length;

/** The selected conversation, if its preview is to be read. Line mode has none. */
function unreadPreview(list: OpenList, isLineMode: boolean): ListRow | undefined {
  const row = matchesOf(list)[list.selected]?.row;
  return isLineMode || row?.id === list.preview?.id ? undefined : row;
}

/** Keeps the selection within the matches, and reads what is missing of the list. */
export function settle(state: ReplState, changed: OpenList): Update {
  const last = matchesOf(changed).length - 1;
  const list = { ...changed, selected: Math.max(0, Math.min(changed.selected, last)) };
  const isRead = unreadPreview(list, state.isLineMode) === undefined && !isBeingSearched(list);
  if (list.isReading || isRead) return step({ ...state, list });
  // After a part could not be searched, the next key tries again.
  const recover = (failed: ReplState) =>
    failed.list === undefined ? failed : { ...failed, list: { ...failed.list, isReading: false } };
  const reading = task(readList, { rows: list.rows }, recover);
  return step({ ...state, list: { ...list, isReading: true } }, reading);
}

const maxListed = 12;
const maxPreview = 9;

/** Distributes the rows below the query; those of the preview are with the rule above it. */
export function budgetOf(windowRows: number) {
  const rows = Math.max(0, windowRows - 2);
  const hints = rows >= 3 ? 1 : 0;
  const preview = rows < 9 ? 0 : Math.min(maxPreview, Math.floor(rows / 2) - 1);
  return { hints, preview, listed: Math.max(0, Math.min(maxListed, rows - hints - preview)) };
}
