import { withoutLast } from '../composer/grapheme-boundary.ts';
import { actionOf, type KeyAction } from '../composer/keys/key-bindings.ts';
import type { KeyEvent } from '../composer/keys/key-event.ts';
import { resume } from '../conversations/conversations.ts';
import type { ListRow, OpenList, ReplState, Update } from '../state.ts';
import { quit, startActivity, step } from '../step.ts';
import { budgetOf, closeList, matchesOf, settle } from './list.ts';

const listRowsOf = (windowRows: number) => Math.max(1, budgetOf(windowRows).listed);

/** Opens a conversation; the list is closed when it is open. */
export function openListed(state: ReplState, list: OpenList, { id }: ListRow): Update {
  if (state.activity !== undefined) return step(state);
  return startActivity(state, 'opening a conversation', resume, { name: id, ...list.options });
}

function withQuery(state: ReplState, list: OpenList, query: string): Update {
  if (query === list.query) return step(state);
  return settle(state, { ...list, query, excerpts: [], selected: 0 });
}

const move = (state: ReplState, list: OpenList, by: number) =>
  settle(state, { ...list, selected: Math.max(0, list.selected + by) });

const actions: Partial<Record<KeyAction, (state: ReplState, list: OpenList) => Update>> = {
  'list-open'(state, list) {
    const match = matchesOf(list)[list.selected];
    return match === undefined ? step(state) : openListed(state, list, match.row);
  },
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
  'list-last': (state, list) => move(state, list, list.rows.length),
  'list-shorten': (state, list) => withQuery(state, list, withoutLast(list.query)),
  'list-shorten-word': (state, list) => withQuery(state, list, list.query.replace(/\S*\s*$/, '')),
  'list-clear': (state, list) => withQuery(state, list, ''),
};

/** The list gets every key, except those of the terminal, for which this returns undefined. Text extends the query. */
export function onListKey(state: ReplState, list: OpenList, event: KeyEvent): Update | undefined {
  if (event.type !== 'key') {
    const query = list.query + event.text.replaceAll(/\s+/g, ' ');
    return withQuery(state, list, query.slice(0, maxQuery));
  }
  const action = actionOf(event, 'list', state.keyMap);
  if (action === 'suspend' || action === 'redraw') return undefined;
  return (action && actions[action]?.(state, list)) ?? step(state);
}

/** UTF-16 units; a longer paste is cut. */
const maxQuery = 200;
