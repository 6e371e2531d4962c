import { setImmediate as nextTick } from 'node:timers/promises';
import type { LibraryEntry } from '../../conversation/library/library.ts';
import { searchTerms } from '../../conversation/library/search.ts';
import { Failure } from '../../failure.ts';
import type { ReplLibrary } from '../conversations/library.ts';
import type { Session } from '../session.ts';
import type { ListedConversation, ListOptions, OpenList, ReplState, Step, Task } from '../state.ts';
import { andThen, startActivity, step, task, withKeysReleased } from '../step.ts';

export const newList = (
  parts: Pick<OpenList, 'options' | 'openedAt' | 'entries' | 'rows'> & Partial<OpenList>,
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
  const stored = session.library.list();
  const entries = await stored.entries();
  if (entries.length === 0) {
    throw new Failure('not_found', 'there is no conversation yet', {
      hint: 'the first prompt starts one',
    });
  }
  const rows = stored.read(entries, 0);
  const openedAt = session.context.clock.date();
  const list = newList({ ...wanted, openedAt, entries, rows });
  session.update((state) => onListOpened(state, list));
}

/** Shows the list that was loaded; a dialog that was open before waits until it is closed. */
export function onListOpened(state: ReplState, loaded: OpenList): Step {
  const { activity } = state;
  const dialog = activity?.type === 'task' ? activity.dialog : undefined;
  return settle(withKeysReleased({ ...state, activity: undefined }), { ...loaded, dialog });
}

/** After a question, the list is as it was. What was being read of it meanwhile is read again: the copy of its entries ignores the rest of that. */
export function reopenList(state: ReplState, list: OpenList): Step {
  return settle(state, {
    ...list,
    entries: [...list.entries],
    isReading: false,
    preview: undefined,
  });
}

/** A change of the list with these entries, unless it was closed meanwhile. */
export const changeOf =
  (entries: readonly LibraryEntry[], change: (state: ReplState, list: OpenList) => Step) =>
  (state: ReplState): Step =>
    state.list?.entries === entries ? change(state, state.list) : step(state);

/** Reads a part of an open list, after keys and timers were handled. */
async function readPart<Part>(
  session: Session,
  entries: readonly LibraryEntry[],
  read: (stored: ReturnType<ReplLibrary['list']>) => Part,
  take: (state: ReplState, list: OpenList, part: Part) => Step,
): Promise<void> {
  await nextTick();
  if (session.state().list?.entries !== entries) return;
  const part = read(session.library.list());
  session.update(changeOf(entries, (state, list) => take(state, list, part)));
}

/** A part of the list, from one of its entries on. */
interface ListPart {
  readonly entries: readonly LibraryEntry[];
  readonly from: number;
}

export function readList(session: Session, { entries, from }: ListPart): Promise<void> {
  return readPart(session, entries, (stored) => stored.read(entries, from), onRowsRead);
}

export function onRowsRead(state: ReplState, list: OpenList, rows: OpenList['rows']): Step {
  const longer = { ...list, isReading: false, rows: [...list.rows, ...rows] };
  return settle(state, longer, list.followsLast);
}

type Search = ListPart & { readonly query: string };

export function searchList(session: Session, search: Search): Promise<void> {
  const { entries, from, query } = search;
  return readPart(
    session,
    entries,
    (stored) => stored.search(entries, from, query),
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
  { entries, entry }: { readonly entries: readonly LibraryEntry[]; readonly entry: LibraryEntry },
): Promise<void> {
  return readPart(
    session,
    entries,
    (stored) => stored.preview(entry),
    (state, list, turns) => onPreviewRead(state, list, { id: entry.id, turns }),
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
  readonly row: ListedConversation;
  /** Around the first hit in its texts. */
  readonly excerpt: string | undefined;
}

/** What a list says of a conversation besides its title: a word before it, and how a screen reader says it. */
interface Mark {
  readonly word: string;
  readonly spoken: string;
}

/** @param current the id of the open conversation */
export function marksOf(row: ListedConversation, current: string): readonly Mark[] {
  const marks: Mark[] = [];
  if (row.entry.isPinned === true) marks.push({ word: 'pinned', spoken: 'pinned' });
  if (row.entry.id === current) marks.push({ word: 'this', spoken: 'this conversation' });
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
    if (row === undefined) return [];
    const excerpt = isSearched ? list.excerpts[index] : undefined;
    const isMatch = excerpt !== undefined || terms.every((term) => row.filtered.includes(term));
    return isMatch ? [{ row, excerpt }] : [];
  });
}

/** All conversations, without those that turned out to be unreadable. */
export const totalOf = ({ entries, rows }: OpenList): number =>
  entries.length - rows.filter((row) => row === undefined).length;

/** Whether further entries may match. */
export function isComplete(list: OpenList): boolean {
  const { entries, rows, excerpts } = list;
  return rows.length === entries.length && (!isSearch(list) || excerpts.length >= rows.length);
}

function nextReading(list: OpenList, found: number): Task | undefined {
  const { entries, rows, excerpts, query, selected } = list;
  if (list.isReading || found > selected + ahead || isComplete(list)) return undefined;
  return isSearch(list) && excerpts.length < rows.length
    ? task(searchList, { entries, from: excerpts.length, query: query.trim() }, unread)
    : task(readList, { entries, from: rows.length }, unread);
}

/** After a part could not be read: the next key tries again. */
function unread(state: ReplState): ReplState {
  const { list } = state;
  return list === undefined ? state : { ...state, list: { ...list, isReading: false } };
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
      task(previewConversation, { entries: list.entries, entry }),
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
