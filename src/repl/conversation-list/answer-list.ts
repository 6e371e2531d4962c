import { searchTerms } from '../../conversation/library/search.ts';
import { count, countOf, timeAgo } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { graphemes } from '../../terminal/text/width.ts';
import type { KeyAction } from '../composer/keys/key-bindings.ts';
import {
  resume,
  searchList,
  readList,
  previewConversation,
} from '../conversations/conversations.ts';
import type {
  Step,
  OpenList,
  ReplState,
  Task,
  ListEvent,
  ListedConversation,
  ConversationList,
} from '../state.ts';
import { withKeysReleased, refuse, andThen, quit, startActivity, task, step } from '../step.ts';

interface Budget {
  readonly listed: number;
  /** The rows of the preview with the rule above it. */
  readonly preview: number;
  readonly hints: number;
}

const maxListed = 12;
const maxPreview = 9;

/** Distributes the rows below the query. */
export function budgetOf(windowRows: number): Budget {
  const rows = Math.max(0, windowRows - 2);
  const hints = rows >= 3 ? 1 : 0;
  const preview = rows < 9 ? 0 : Math.min(maxPreview, Math.floor(rows / 2) - 1);
  return { hints, preview, listed: Math.max(0, Math.min(maxListed, rows - hints - preview)) };
}

/** Rows of a page of the list, in a window of that many rows. */
const listRowsOf = (windowRows: number) => Math.max(1, budgetOf(windowRows).listed);

export function onListEvent(state: ReplState, list: OpenList, event: ListEvent): Step {
  if (event.entries !== list.entries) return step(state);
  switch (event.type) {
    case 'rows-read':
      return settle(
        state,
        { ...list, isReading: false, rows: [...list.rows, ...event.rows] },
        list.followsLast,
      );
    case 'texts-searched': {
      const isCurrent =
        list.searchesTexts &&
        event.query === list.query.trim() &&
        event.from === list.excerpts.length;
      const excerpts = isCurrent ? [...list.excerpts, ...event.excerpts] : list.excerpts;
      return settle(state, { ...list, isReading: false, excerpts }, list.followsLast);
    }
    case 'preview-read':
    default: {
      const { id, turns } = event;
      return step(
        list.preview?.id === id ? { ...state, list: { ...list, preview: { id, turns } } } : state,
      );
    }
  }
}

/** Closes the list; the dialog that waited for it is open. */
const unlisted = (state: ReplState): ReplState => ({
  ...state,
  list: undefined,
  dialog: state.list?.dialog,
});

/** Closes the list; queued lines are sent then. */
export const closeList = (state: ReplState): Step => step(unlisted(state));

function openListed(state: ReplState, list: OpenList, { entry }: ListedConversation): Step {
  const opened = { ...unlisted(state), chosenFrom: list };
  const wanted = task(resume, { name: entry.id, ...list.options });
  return startActivity(opened, 'opening a conversation', wanted);
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
  'list-close': closeList,
  interrupt: closeList,
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

function nextReading(list: ConversationList, found: number): Task | undefined {
  const { entries, rows, excerpts, query, selected } = list;
  if (list.isReading || found > selected + ahead || isComplete(list)) return undefined;
  return isSearch(list) && excerpts.length < rows.length
    ? task(searchList, { entries, from: excerpts.length, query: query.trim() }, unread)
    : task(readList, { entries, from: rows.length }, unread);
}

/** Keeps the selection within the matches, and reads what is missing of the list and of the preview. */
function settle(state: ReplState, changed: OpenList, followsLast = false): Step {
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

// The list in line mode: numbered conversations, and a question.

/** Conversations that are read aloud at once. */
const pageRows = 10;

function lineOf({ row, excerpt }: Match, number: number, list: OpenList, current: string): string {
  const parts = [
    row.title || row.entry.id,
    ...(excerpt === undefined ? [] : [`"${excerpt.trim()}"`]),
    row.model ?? 'no answer',
    timeAgo(row.entry.changedAt, list.openedAt),
    ...(row.entry.id === current ? ['this conversation'] : []),
    ...(row.isOpenElsewhere ? ['open in another natter'] : []),
  ];
  return `${number} ${sanitizeLine(parts.join(', '))}\n`;
}

function headOf(list: OpenList, found: number): string {
  const terms = searchTerms(sanitizeLine(list.query)).map((term) => `"${term}"`);
  if (terms.length === 0) return `${countOf(totalOf(list), 'conversation')}, newest first.`;
  const total = `${count(found)}${isComplete(list) ? '' : ' or more'}`;
  return `${total} with ${terms.join(' and ')} in the ${list.searchesTexts ? 'text' : 'title'}.`;
}

/** The numbered conversations and the question; undefined while they are read. */
export function questionOf(state: ReplState, list: OpenList): string | undefined {
  if (list.isReading) return undefined;
  const matches = matchesOf(list);
  const shown = matches.slice(list.selected, list.selected + pageRows);
  const rows = shown.map((match, index) =>
    lineOf(match, list.selected + index + 1, list, state.conversation.id),
  );
  const hasMore = matches.length > list.selected + pageRows;
  const ways = [
    ...(shown.length === 0 ? [] : ['a number opens one']),
    ...(hasMore ? ['plus sign lists more'] : []),
    'words filter the titles',
    'slash and words search the texts',
    list.query === '' ? 'Enter alone returns' : 'Enter alone lists all',
  ];
  return `${headOf(list, matches.length)}\n${rows.join('')}${ways.join(', ')}\nOpen: `;
}

/** A line is the number of a conversation, words to filter by, or a slash and words to search for; empty, it ends that. */
export function answerQuestion(state: ReplState, list: OpenList, text: string): Step {
  const answer = text.trim();
  if (answer === '' && list.query === '') return closeList(state);
  if (answer === '+') {
    const selected = list.selected + pageRows;
    if (selected < matchesOf(list).length) return settle(state, { ...list, selected });
    return refuse(state, 'there are no more conversations');
  }
  if (/^\d+$/.test(answer)) {
    const match = matchesOf(list)[Number(answer) - 1];
    if (match !== undefined) return openListed(state, list, match.row);
    return refuse(state, `there is no conversation ${answer} in the list`);
  }
  const searchesTexts = answer.startsWith('/');
  const query = searchesTexts ? answer.slice(1).trim() : answer;
  if (query === '' && searchesTexts) return step(state);
  return settle(state, { ...list, query, searchesTexts, excerpts: [], selected: 0 });
}

/** Shows the list that was loaded; a dialog that was open before waits until it is closed. */
export function onListOpened(state: ReplState, loaded: OpenList): Step {
  const { activity } = state;
  const dialog = activity?.type === 'task' ? activity.dialog : undefined;
  const list = { ...loaded, dialog };
  return onListEvent(withKeysReleased({ ...state, activity: undefined, list }), list, {
    type: 'rows-read',
    entries: list.entries,
    rows: [],
  });
}

export function onListChanged(state: ReplState, event: ListEvent): Step {
  const { list } = state;
  return list === undefined ? step(state) : onListEvent(state, list, event);
}

/** After a part could not be read: the next key tries again. */
function unread(state: ReplState): ReplState {
  const { list } = state;
  return list === undefined ? state : { ...state, list: { ...list, isReading: false } };
}
