import {
  acceptSearch,
  extendQuery,
  searchNewer,
  searchOlder,
  shortenQuery,
  startSearch,
  type HistorySearch,
} from '../editing/history.ts';
import type { KeyAction } from '../editing/keys/key-bindings.ts';
import { withDraft } from '../editing/text-buffer.ts';
import type { ReplState } from '../state/state.ts';
import { step, type Step } from './step.ts';
import { unsentDraft } from './submitting.ts';

export function openSearch(state: ReplState): Step {
  return step({ ...state, search: startSearch(), completion: undefined });
}

export function onSearchText(state: ReplState, search: HistorySearch, text: string): Step {
  return step({ ...state, search: extendQuery(state.history, search, text) });
}

function accept(state: ReplState, search: HistorySearch): ReplState {
  const { history, draft } = acceptSearch(state.history, search, unsentDraft(state));
  if (search.match === undefined) return { ...state, search: undefined };
  const composer = withDraft(state.composer, draft);
  return { ...state, history, composer, search: undefined, isShellPasted: false };
}

function cancel(state: ReplState): ReplState {
  return { ...state, search: undefined };
}

const searchActions: Partial<
  Record<KeyAction, (state: ReplState, search: HistorySearch) => ReplState>
> = {
  'search-older': (state, search) => ({ ...state, search: searchOlder(state.history, search) }),
  'search-newer': (state, search) => ({ ...state, search: searchNewer(state.history, search) }),
  'search-shorten': (state, search) => ({ ...state, search: shortenQuery(state.history, search) }),
  'search-accept': accept,
  'search-cancel': cancel,
  interrupt: cancel,
};

/** Handles a key during a search; undefined if the key does not belong to the search. */
export function onSearchAction(
  state: ReplState,
  search: HistorySearch,
  action: KeyAction,
): Step | undefined {
  const act = searchActions[action];
  return act && step(act(state, search));
}
