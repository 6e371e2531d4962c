import { setImmediate as nextTick } from 'node:timers/promises';
import { searchTerms } from '../../conversation/library/search.ts';
import { Failure } from '../../failure.ts';
import type { ReplLibrary } from '../conversations/library.ts';
import type { Session } from '../session.ts';
import type { ListOptions, ListRow, OpenList, ReplState, Step, Task } from '../state.ts';
import { andThen, startActivity, step, task, withKeysReleased } from '../step.ts';

export const newList = (
  parts: Pick<OpenList, 'options' | 'openedAt' | 'rows'> & Partial<OpenList>,
): OpenList => ({
  query: '',
  searchesTexts: false,
  ...parts,
  excerpts: [],
  selected: 0,
  isReading: false,
  preview: undefined,
});

/** Lists the conversations with the query in their titles or texts; keys typed meanwhile are for the list. */
export function openList(
  state: ReplState,
  options: ListOptions = {},
  query = '',
  searchesTexts = false,
): Step {
  const wanted = task(readConversations, { options, query, searchesTexts }, withKeysReleased);
  const started = startActivity(state, 'reading conversations', wanted);
  if (state.isLineMode) return started;
  return { ...started, state: { ...started.state, typeAhead: { until: 'list', keys: [] } } };
}

export async function readConversations(
  session: Session,
  wanted: Pick<OpenList, 'options' | 'query'> & Partial<OpenList>,
): Promise<void> {
  const rows = await session.library.list().read();
  if (rows.length === 0) {
    throw new Failure('not_found', 'there is no conversation yet', {
      hint: 'the first prompt starts one',
    });
  }
  const openedAt = session.context.clock.date();
  const list = newList({ ...wanted, openedAt, rows });
  session.update((state) => onListOpened(state, list));
}

/** Shows the list that was loaded; a dialog that was open before waits until it is closed. */
export function onListOpened(state: ReplState, loaded: OpenList): Step {
  const { activity } = state;
  const dialog = activity?.type === 'task' ? activity.dialog : undefined;
  return settle(withKeysReleased({ ...state, activity: undefined }), { ...loaded, dialog });
}

/** After a question, the list is as it was. What was being searched meanwhile is searched again: the copy of its rows ignores the rest of that. */
export function reopenList(state: ReplState, list: OpenList): Step {
  return settle(state, {
    ...list,
    rows: [...list.rows],
    isReading: false,
    preview: undefined,
  });
}

/** A change of the list with these rows, unless it was closed meanwhile. */
export const changeOf =
  (rows: readonly ListRow[], change: (state: ReplState, list: OpenList) => Step) =>
  (state: ReplState): Step =>
    state.list?.rows === rows ? change(state, state.list) : step(state);

/** Reads a part of an open list, after keys and timers were handled. */
async function readPart<Part>(
  session: Session,
  rows: readonly ListRow[],
  read: (stored: ReturnType<ReplLibrary['list']>) => Part,
  take: (state: ReplState, list: OpenList, part: Part) => Step,
): Promise<void> {
  await nextTick();
  if (session.state().list?.rows !== rows) return;
  const part = read(session.library.list());
  session.update(changeOf(rows, (state, list) => take(state, list, part)));
}

/** A search from one of the rows on. */
interface Search {
  readonly rows: readonly ListRow[];
  readonly from: number;
  readonly query: string;
}

export function searchList(session: Session, search: Search): Promise<void> {
  const { rows, from, query } = search;
  return readPart(
    session,
    rows,
    (stored) => stored.search(rows, from, query),
    (state, list, excerpts) => onTextsSearched(state, list, search, excerpts),
  );
}

export function onTextsSearched(
  state: ReplState,
  list: OpenList,
  { query, from }: Search,
  found: OpenList['excerpts'],
): Step {
  const isCurrent =
    list.searchesTexts && query === list.query.trim() && from === list.excerpts.length;
  const excerpts = isCurrent ? [...list.excerpts, ...found] : list.excerpts;
  return settle(state, { ...list, isReading: false, excerpts }, list.followsLast);
}

export function previewConversation(
  session: Session,
  { rows, row }: { readonly rows: readonly ListRow[]; readonly row: ListRow },
): Promise<void> {
  return readPart(
    session,
    rows,
    (stored) => stored.preview(row),
    (state, list, turns) => onPreviewRead(state, list, { id: row.id, turns }),
  );
}

export function onPreviewRead(
  state: ReplState,
  list: OpenList,
  preview: NonNullable<OpenList['preview']>,
): Step {
  return step(list.preview?.id === preview.id ? { ...state, list: { ...list, preview } } : state);
}

/** Closes the list; queued lines are sent then. The dialog that waited for it is open. */
export const closeList = (state: ReplState): ReplState => ({
  ...state,
  list: undefined,
  dialog: state.list?.dialog,
});

export interface Match {
  readonly row: ListRow;
  /** Around the first hit in its texts. */
  readonly excerpt: string | undefined;
}

/** What a list says of a conversation besides its title: a word before it, and how a screen reader says it. */
interface Mark {
  readonly word: string;
  readonly spoken: string;
}

/** @param current the id of the open conversation */
export function marksOf(row: ListRow, current: string): readonly Mark[] {
  const marks: Mark[] = row.marks.map((word) => ({ word, spoken: word }));
  if (row.id === current) marks.push({ word: 'this', spoken: 'this conversation' });
  if (row.isOpenElsewhere) marks.push({ word: 'open', spoken: 'open in another natter' });
  return marks;
}

/** Matches that are read beyond the selected one. */
const ahead = 50;

const isSearch = ({ searchesTexts, query }: OpenList) =>
  searchesTexts && searchTerms(query).length > 0;

/** The conversations with every term of the query in their title, model or id, or in their texts; in the order of the list. */
export function matchesOf(list: OpenList): readonly Match[] {
  const terms = searchTerms(list.query.toLowerCase());
  const isSearched = isSearch(list);
  return list.rows.flatMap((row, index) => {
    const excerpt = isSearched ? list.excerpts[index] : undefined;
    const isMatch = excerpt !== undefined || terms.every((term) => row.filtered.includes(term));
    return isMatch ? [{ row, excerpt }] : [];
  });
}

/** False while further rows may match. */
export const isComplete = (list: OpenList): boolean =>
  !isSearch(list) || list.excerpts.length >= list.rows.length;

function nextSearch(list: OpenList, found: number): Task | undefined {
  const { rows, excerpts, query, selected } = list;
  if (list.isReading || found > selected + ahead || isComplete(list)) return undefined;
  return task(searchList, { rows, from: excerpts.length, query: query.trim() }, unread);
}

/** After a part could not be searched: the next key tries again. */
function unread(state: ReplState): ReplState {
  const { list } = state;
  return list === undefined ? state : { ...state, list: { ...list, isReading: false } };
}

/** Keeps the selection within the matches, and reads what is missing of the search and of the preview. */
export function settle(state: ReplState, changed: OpenList, followsLast = false): Step {
  const matches = matchesOf(changed);
  const wanted = followsLast ? matches.length : changed.selected;
  const selected = Math.max(0, Math.min(wanted, matches.length - 1));
  const list = { ...changed, selected, followsLast };
  const reading = nextSearch(list, matches.length);
  const next = { ...list, isReading: list.isReading || reading !== undefined };
  const row = matches[selected]?.row;
  const read = step({ ...state, list: next }, ...(reading === undefined ? [] : [reading]));
  const isPassing = followsLast && next.isReading;
  if (state.isLineMode || isPassing || row === undefined || row.id === list.preview?.id) {
    return read;
  }
  const preview = { id: row.id, turns: undefined };
  return andThen(read, (shown) =>
    step(
      { ...shown, list: { ...next, preview } },
      task(previewConversation, { rows: list.rows, row }),
    ),
  );
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
