import { type ReactNode, useState } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import {
  acceptSearch,
  contains,
  extendQuery,
  type History,
  type HistorySearch,
  matchOf,
  olderMatches,
  searchNewer,
  searchOlder,
  shortenQuery,
  startSearch,
} from '../composer/history.ts';
import { actionOf, type KeyAction } from '../composer/keys/key-bindings.ts';
import { chordOf } from '../composer/keys/key-event.ts';
import { shownText } from '../composer/paste.ts';
import { withDraft } from '../composer/text-buffer.ts';
import { unsentDraft } from '../queue.ts';
import type { ReplState, Step } from '../state.ts';
import { step } from '../step.ts';
import { Lines, useKeys, useStore, useView } from './view.tsx';

/** Rows of the search for older matches. */
export const maxOlderMatches = 4;

const searching: Partial<
  Record<KeyAction, (history: History, search: HistorySearch) => HistorySearch>
> = {
  'search-older': searchOlder,
  'search-newer': searchNewer,
  'search-shorten': shortenQuery,
};

const closed = (state: ReplState): Step => step({ ...state, isSearching: false });

/** The match in the composer, as it was sent; without one, the draft stays. */
function accepted(state: ReplState, search: HistorySearch): Step {
  if (search.match === undefined) return closed(state);
  const { history, draft } = acceptSearch(state.history, search, unsentDraft(state));
  const composer = withDraft(state.composer, draft);
  return closed({ ...state, history, composer, isShellPasted: false });
}

/** The open search of the history, which gets every key; undefined if none is open. */
export function useHistorySearch(): HistorySearch | undefined {
  const store = useStore();
  const { state } = useView();
  const { history, isSearching, keyMap } = state;
  const [search, setSearch] = useState(startSearch);
  const isOpen = isSearching && state.dialog === undefined;
  useKeys((event) => {
    if (!isOpen) return false;
    if (event.type !== 'key') {
      setSearch(extendQuery(history, search, event.text));
      return true;
    }
    const action = actionOf(chordOf(event), 'search', keyMap);
    if (action === 'suspend' || action === 'redraw') return false;
    const next = action && searching[action];
    if (next !== undefined) setSearch(next(history, search));
    if (action === 'search-accept' || action === 'search-cancel' || action === 'interrupt') {
      store.update(action === 'search-accept' ? (now) => accepted(now, search) : closed);
      setSearch(startSearch());
    }
    return true;
  });
  return isOpen ? search : undefined;
}

interface SearchLinesProps {
  readonly search: HistorySearch;
  readonly rows: number;
}

/** What is searched for, and the next older matches, each on one line; the match is in the composer. */
export function SearchLines({ search, rows }: SearchLinesProps): ReactNode {
  const { state, style } = useView();
  const match = matchOf(state.history, search);
  const isMatching = match !== undefined && contains(match, search.query);
  const failed = isMatching ? 'no other match: ' : 'not in the history: ';
  const label = search.isFailed ? style.yellow(failed) : style.dim('history: ');
  const older = olderMatches(state.history, search, Math.min(rows - 1, maxOlderMatches)).map(
    (draft) => style.dim(`  ${sanitizeLine(shownText(draft).replaceAll(/\s*\n\s*/g, ' '))}`),
  );
  return <Lines lines={[label + sanitizeLine(search.query), ...older]} />;
}
