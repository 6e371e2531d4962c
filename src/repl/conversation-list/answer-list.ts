import type { KeyAction } from '../editing/keys/key-bindings.ts';
import { quit, startTask, step, type Step } from '../reducer/step.ts';
import { advance } from '../reducer/submitting.ts';
import type { ListEvent, ListedConversation } from '../state/conversation-list.ts';
import type { OpenList, ReplState } from '../state/state.ts';
import { graphemes } from '../../terminal/text/width.ts';
import { listRowsOf } from './list-frame.ts';
import { matchesOf, settle } from './matches.ts';

type NewList = Pick<OpenList, 'code' | 'options' | 'openedAt' | 'entries' | 'rows'> &
  Partial<Pick<OpenList, 'query'>>;

export const newList = (parts: NewList): OpenList => ({
  query: '',
  ...parts,
  searchesTexts: false,
  excerpts: [],
  selected: 0,
  isReading: false,
  preview: undefined,
});

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

/** Without the list; the dialog that waited for it is open. */
const unlisted = (state: ReplState): ReplState => ({
  ...state,
  list: undefined,
  dialog: state.list?.dialog,
});

/** Closes the list; queued lines are sent then. */
export const closeList = (state: ReplState): Step => advance(unlisted(state));

export function openListed(state: ReplState, list: OpenList, { entry }: ListedConversation): Step {
  return startTask({ ...unlisted(state), chosenFrom: list }, 'opening a conversation', {
    type: 'resume',
    name: entry.id,
    ...list.options,
  });
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
