import type { ListEvent } from '../state/conversation-list.ts';
import type { ListOptions } from '../state/effect.ts';
import type { OpenList, ReplState } from '../state/state.ts';
import { startTask, step, type Step } from './step.ts';

/** Opens the list of conversations; keys typed meanwhile are for the list. */
export function openList(state: ReplState, options: ListOptions = {}, query = ''): Step {
  const { state: next, effects } = startTask(state, 'reading conversations', {
    type: 'open-list',
    options,
    query,
  });
  if (state.isLineMode) return { state: next, effects };
  return { state: { ...next, typeAhead: { until: 'list', keys: [] } }, effects };
}

/** Shows the list that was loaded; a dialog that was open before waits until it is closed. */
export function onListOpened(state: ReplState, loaded: OpenList): Step {
  const { activity } = state;
  const dialog = activity?.type === 'task' ? activity.dialog : undefined;
  const list = { ...loaded, dialog };
  return list.code.onListEvent({ ...state, activity: undefined, list }, list, {
    type: 'rows-read',
    entries: list.entries,
    rows: [],
  });
}

export function onListChanged(state: ReplState, event: ListEvent): Step {
  const { list } = state;
  return list === undefined ? step(state) : list.code.onListEvent(state, list, event);
}

/** After a part could not be read: the next key tries again. */
export function onListUnread(state: ReplState): Step {
  const { list } = state;
  return step(list === undefined ? state : { ...state, list: { ...list, isReading: false } });
}
