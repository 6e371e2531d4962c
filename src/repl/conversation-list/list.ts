import { setImmediate as nextTick } from 'node:timers/promises';
import type { LibraryEntry } from '../../conversation/library/library.ts';
import { searchTerms } from '../../conversation/library/search.ts';
import { Failure } from '../../failure.ts';
import type { ReplLibrary } from '../conversations/library.ts';
import type { Session } from '../session.ts';
import type { Entry } from '../transcript/transcript.ts';
import type { ListedConversation, ListOptions, OpenList, ReplState, Step } from '../state.ts';
import { startActivity, step, task, withKeysReleased, quit } from '../step.ts';
import { graphemes } from '../../terminal/text/width.ts';
import type { KeyAction } from '../composer/keys/key-bindings.ts';
import { resume } from '../conversations/conversations.ts';

export const newList = (
  parts: Pick<OpenList, 'options' | 'openedAt' | 'entries' | 'rows'> & Partial<OpenList>,
): OpenList => ({
  query: '',
  searchesTexts: false,
  hasPreview: true,
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
  const wanted = { options, query, searchesTexts };
  const name = 'reading conversations';
  const started = startActivity(state, name, readConversations, wanted, withKeysReleased);
  if (state.isLineMode) return started;
  return { ...started, state: { ...started.state, typeAhead: { until: 'list', keys: [] } } };
}

export async function readConversations(
  session: Session,
  wanted: Pick<OpenList, 'options' | 'query'> & Partial<OpenList>,
): Promise<readonly Entry[]> {
  const stored = session.library.list();
  const entries = await stored.entries();
  if (entries.length === 0) {
    throw new Failure('not_found', 'there is no conversation yet', {
      hint: 'the first prompt starts one',
    });
  }
  const rows = stored.read(entries, 0);
  const openedAt = session.context.clock.date();
  const hasPreview = !session.state().isLineMode;
  const list = newList({ ...wanted, hasPreview, openedAt, entries, rows });
  session.update((state) => onListOpened(state, list));
  return [];
}

/** Shows the list that was loaded; a dialog that was open before waits until it is closed. */
export function onListOpened(state: ReplState, loaded: OpenList): Step {
  const { activity } = state;
  const dialog = activity?.type === 'task' ? activity.dialog : undefined;
  return settle(withKeysReleased({ ...state, activity: undefined }), { ...loaded, dialog });
}

/** After a question, the list is as it was. */
export const reopenList = (state: ReplState, list: OpenList): Step =>
  settle(state, { ...list, isReading: false });

/** Reads what the open list wants, a part at a time: keys and timers are handled between the parts. */
export async function readList(
  session: Session,
  { entries }: { readonly entries: readonly LibraryEntry[] },
): Promise<void> {
  const stored = session.library.list();
  for (;;) {
    await nextTick();
    const { list } = session.state();
    // It was closed, or opened again.
    if (list?.entries !== entries) return;
    const part = readPart(stored, list, wantedOf(list));
    session.update((state) =>
      settle(state, { ...list, ...part, isReading: part !== undefined }, list.followsLast),
    );
    if (part === undefined) return;
  }
}

function readPart(
  stored: ReturnType<ReplLibrary['list']>,
  { entries, rows, excerpts, query }: OpenList,
  wanted: Wanted | undefined,
): Partial<OpenList> | undefined {
  if (wanted === 'rows') return { rows: [...rows, ...stored.read(entries, rows.length)] };
  if (wanted === 'excerpts') {
    return { excerpts: [...excerpts, ...stored.search(entries, excerpts.length, query.trim())] };
  }
  return wanted && { preview: { id: wanted.id, turns: stored.preview(wanted) } };
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

/** The rows to choose from: without a query only the newest of the conversations without an answer, as a draft. */
function shownRows({ rows, query }: OpenList): OpenList['rows'] {
  if (query.trim() !== '') return rows;
  const draft = rows.find((row) => row !== undefined && row.model === undefined);
  const isShown = (row: ListedConversation) =>
    row.model !== undefined || row === draft || row.entry.isPinned === true;
  return rows.map((row) => (row !== undefined && isShown(row) ? row : undefined));
}

/** The conversations with every term of the query in their title, model or id, or in their texts; in the order of the list. */
export function matchesOf(list: OpenList): readonly Match[] {
  const terms = searchTerms(list.query.toLowerCase());
  const isSearched = isSearch(list);
  return shownRows(list).flatMap((row, index) => {
    if (row === undefined) return [];
    const excerpt = isSearched ? list.excerpts[index] : undefined;
    const isMatch = excerpt !== undefined || terms.every((term) => row.filtered.includes(term));
    return isMatch ? [{ row, excerpt }] : [];
  });
}

/** All conversations, without those that turned out to be unreadable, or earlier drafts. */
export const totalOf = (list: OpenList): number =>
  list.entries.length - shownRows(list).filter((row) => row === undefined).length;

/** Whether further entries may match. */
export function isComplete(list: OpenList): boolean {
  const { entries, rows, excerpts } = list;
  return rows.length === entries.length && (!isSearch(list) || excerpts.length >= rows.length);
}

/** Whether more has to be read or searched to know the matches. */
export function needsMore(list: OpenList): boolean {
  return matchesOf(list).length <= list.selected + ahead && !isComplete(list);
}

/** The conversation whose preview is to be read, or what else of the list. */
type Wanted = LibraryEntry | 'rows' | 'excerpts';

/** What is to be read next; undefined if nothing. Line mode has no preview. */
function wantedOf(list: OpenList): Wanted | undefined {
  const { rows, excerpts, selected, preview } = list;
  const entry = matchesOf(list)[selected]?.row.entry;
  const needs = needsMore(list);
  const isPassing = list.followsLast === true && needs;
  if (list.hasPreview && !isPassing && entry !== undefined && entry.id !== preview?.id)
    return entry;
  if (!needs) return undefined;
  return isSearch(list) && excerpts.length < rows.length ? 'excerpts' : 'rows';
}

/** After a part could not be read: the next key tries again. */
function unread(state: ReplState): ReplState {
  const { list } = state;
  return list === undefined ? state : { ...state, list: { ...list, isReading: false } };
}

/** Keeps the selection within the matches, and reads what is missing of the list. */
export function settle(state: ReplState, changed: OpenList, followsLast = false): Step {
  const last = matchesOf(changed).length - 1;
  const selected = Math.max(0, followsLast ? last : Math.min(changed.selected, last));
  const list = { ...changed, selected, followsLast };
  if (list.isReading || wantedOf(list) === undefined) return step({ ...state, list });
  const { entries } = list;
  return step(
    { ...state, list: { ...list, isReading: true } },
    task(readList, { entries }, unread),
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

/** Rows of a page of the list, in a window of that many rows. */
const listRowsOf = (windowRows: number) => Math.max(1, budgetOf(windowRows).listed);

export function openListed(state: ReplState, list: OpenList, { entry }: ListedConversation): Step {
  const wanted = { name: entry.id, ...list.options, from: list };
  return startActivity(closeList(state), 'opening a conversation', resume, wanted);
}

function openSelected(state: ReplState, list: OpenList): Step {
  const match = matchesOf(list)[list.selected];
  return match === undefined ? step(state) : openListed(state, list, match.row);
}

function withQuery(state: ReplState, list: OpenList, query: string): Step {
  if (query === list.query) return step(state);
  return settle(state, { ...list, query, excerpts: [], selected: 0 });
}

const move = (state: ReplState, list: OpenList, by: number) =>
  settle(state, { ...list, selected: Math.max(0, list.selected + by) });

const shortened = (query: string) => [...graphemes(query)].slice(0, -1).join('');

const actions: Partial<Record<KeyAction, (state: ReplState, list: OpenList) => Step>> = {
  'list-open': openSelected,
  'list-close': (state) => step(closeList(state)),
  interrupt: (state) => step(closeList(state)),
  'list-quit': (state, list) => (list.query === '' ? quit(state) : step(state)),
  'list-search': (state, list) =>
    settle(state, { ...list, searchesTexts: !list.searchesTexts, excerpts: [], selected: 0 }),
  'list-previous': (state, list) => move(state, list, -1),
  'list-next': (state, list) => move(state, list, 1),
  'list-page-up': (state, list) => move(state, list, -listRowsOf(state.rows)),
  'list-page-down': (state, list) => move(state, list, listRowsOf(state.rows)),
  'list-first': (state, list) => settle(state, { ...list, selected: 0 }),
  'list-last': (state, list) => settle(state, list, true),
  'list-shorten': (state, list) => withQuery(state, list, shortened(list.query)),
  'list-shorten-word': (state, list) => withQuery(state, list, list.query.replace(/\S*\s*$/, '')),
  'list-clear': (state, list) => withQuery(state, list, ''),
};

export function onListAction(state: ReplState, list: OpenList, action: KeyAction): Step {
  return actions[action]?.(state, list) ?? step(state);
}

/** Typed or pasted text extends the query. */
export function onListText(state: ReplState, list: OpenList, text: string): Step {
  return withQuery(state, list, (list.query + text.replaceAll(/\s+/g, ' ')).slice(0, maxQuery));
}

/** UTF-16 units; a longer paste is cut. */
const maxQuery = 200;
