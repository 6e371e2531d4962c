import { Box, Text } from 'ink';
import { type ReactNode, useState } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { labelOf } from '../composer/completion.ts';
import {
  acceptMatch,
  contains,
  extendQuery,
  type HistorySearch,
  matchOf,
  olderMatches,
  searchNewer,
  searchOlder,
  shortenQuery,
  startSearch,
} from '../composer/history.ts';
import { actionOf, keyOf } from '../composer/keys/key-bindings.ts';
import { composerMarkColumns, layout, composerColumns, composerRows } from '../composer/layout.ts';
import { shownText } from '../composer/paste.ts';
import { type Draft, withDraft } from '../composer/text-buffer.ts';
import { caretShapeOf, viSelection } from '../composer/vi/vi-keys.ts';
import { unsentDraft } from '../queue.ts';
import type { CompletionMenu as Menu, ReplState, Update } from '../state.ts';
import { step } from '../step.ts';
import { firstVisible, Lines, useCaret, useKeys, useView, type View } from './view.tsx';

/** The draft as laid out for the window; during a history search, the match replaces it. */
export function composerOf(state: ReplState, search: HistorySearch | undefined) {
  const found = search && matchOf(state.history, search);
  const draft = found ?? state.composer;
  const selected =
    found === undefined ? state.vi && viSelection(state.vi, state.composer) : undefined;
  return layout(draft, composerColumns(state.columns), composerRows(state.rows), selected);
}

type ComposerLayout = ReturnType<typeof composerOf>;

/** The mark of a row: at the start of the text, or where more text is out of sight. */
function markOf(composer: ComposerLayout, index: number, { style, symbols }: View): string {
  const isLast = index === composer.rows.length - 1;
  if (index === 0 && composer.hasMoreAbove) return style.dim(symbols.up);
  if (isLast && composer.hasMoreBelow) return style.dim(symbols.down);
  return index === 0 ? style.cyan(symbols.mark) : ' ';
}

/** The draft; the terminal's cursor is its caret. */
export function Composer({ composer }: { readonly composer: ComposerLayout }): ReactNode {
  const view = useView();
  const { vi, activity, queue, keyMap } = view.state;
  useCaret({
    column: composerMarkColumns + composer.cursorColumn,
    rowsBelow: composer.rows.length - 1 - composer.cursorRow,
    shape: vi && caretShapeOf(vi),
  });
  const queueKey = queue.length > 0 ? keyOf('move-up', keyMap) : undefined;
  const next =
    queueKey === undefined ? 'type the next prompt' : `${queueKey} edits the last queued prompt`;
  const placeholder = activity === undefined ? 'type a prompt' : next;
  const rows = composer.rows.every((row) => row === '')
    ? [view.style.dim(placeholder)]
    : composer.rows;
  return <Lines lines={rows.map((row, index) => `${markOf(composer, index, view)} ${row}`)} />;
}

/** Rows of the search for older matches. */
export const maxOlderMatches = 4;

const closed = (state: ReplState): Update => step({ ...state, isSearching: false });

/** The match in the composer, as it was sent; without one, the draft stays. */
function accepted(state: ReplState, { match }: HistorySearch): Update {
  if (match === undefined) return closed(state);
  const { history, draft } = acceptMatch(state.history, match, unsentDraft(state));
  const composer = withDraft(state.composer, draft);
  return closed({ ...state, history, composer, isShellPasted: false });
}

/** The open search of the history, which gets every key; undefined if none is open. */
export function useHistorySearch(): HistorySearch | undefined {
  const { state, update } = useView();
  const { history, isSearching, keyMap } = state;
  const [search, setSearch] = useState(startSearch);
  const isOpen = isSearching && state.dialog === undefined;
  useKeys((event) => {
    if (!isOpen) return false;
    if (event.type !== 'key') {
      setSearch(extendQuery(history, search, event.text));
      return true;
    }
    const action = actionOf(event, 'search', keyMap);
    if (action === 'suspend' || action === 'redraw') return false;
    if (action === 'search-older') setSearch(searchOlder(search));
    if (action === 'search-newer') setSearch(searchNewer(search));
    if (action === 'search-shorten') setSearch(shortenQuery(history, search));
    if (action === 'search-accept' || action === 'search-cancel' || action === 'interrupt') {
      update(action === 'search-accept' ? (now) => accepted(now, search) : closed);
      setSearch(startSearch());
    }
    return true;
  });
  return isOpen ? search : undefined;
}

export const draftRow = (draft: Draft) =>
  sanitizeLine(shownText(draft).replaceAll(/\s*\n\s*/g, ' '));

/** What is searched for, and the next older matches, each on one line; the match is in the composer. */
export function SearchLines({ search, rows }: { search: HistorySearch; rows: number }): ReactNode {
  const { state, style } = useView();
  const match = matchOf(state.history, search);
  const isMatching = match !== undefined && contains(match, search.query);
  const failed = isMatching ? 'no other match: ' : 'not in the history: ';
  const label = search.isFailed ? style.yellow(failed) : style.dim('history: ');
  const older = olderMatches(state.history, search, Math.min(rows - 1, maxOlderMatches)).map(
    (draft) => style.dim(`  ${draftRow(draft)}`),
  );
  return <Lines lines={[label + sanitizeLine(search.query), ...older]} />;
}

/** Columns of the mark, and of the position with its margins. */
const besideNames = 16;

/** The candidates around the selected one; on the last row its number, and where there are more. */
export function CompletionMenu({ menu, rows }: { menu: Menu; rows: number }): ReactNode {
  const { style, symbols, columns } = useView();
  const { candidates, selected } = menu;
  const first = firstVisible(selected, candidates.length, rows);
  const { kind } = menu.request;
  // A long path is shortened at its start: its name matters most.
  const cut = kind === 'path' || kind === 'mention' ? 'truncate-start' : 'truncate-end';
  const names = candidates.map((candidate) => {
    const { argument } = candidate;
    const rest = argument === undefined ? '' : ` ${argument}`;
    return { label: sanitizeLine(labelOf(menu.request, candidate)), rest };
  });
  const widest = Math.max(...names.map(({ label, rest }) => displayWidth(label + rest)));
  const hasSummaries = candidates.some(({ summary = '' }) => summary !== '');
  const half = Math.floor(columns / 2);
  const nameColumns = Math.min(widest, hasSummaries ? half : Math.max(half, columns - besideNames));
  const up = first > 0 ? symbols.up : '';
  const down = first + rows < candidates.length ? symbols.down : '';
  const shown = candidates.slice(first, first + rows);
  return (
    <Box flexDirection="column">
      {shown.map(({ value, summary = '' }, row) => {
        const isSelected = first + row === selected;
        const { label = '', rest = '' } = names[first + row] ?? {};
        const mark = isSelected ? style.cyan(symbols.mark) : ' ';
        return (
          <Box key={value}>
            <Box width={2} flexShrink={0}>
              <Text>{`${mark} `}</Text>
            </Box>
            <Box width={nameColumns} flexShrink={0}>
              <Text wrap={cut}>{(isSelected ? style.bold(label) : label) + style.dim(rest)}</Text>
            </Box>
            <Box marginLeft={2} flexGrow={1} flexShrink={1}>
              <Text wrap="truncate">{style.dim(sanitizeLine(summary))}</Text>
            </Box>
            {candidates.length > rows && row === shown.length - 1 && (
              <Box marginLeft={2} flexShrink={0}>
                <Text>{style.dim(`${selected + 1}/${candidates.length} ${up}${down}`)}</Text>
              </Box>
            )}
          </Box>
        );
      })}
    </Box>
  );
}
