import type { ReactNode } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { padToWidth, splitAtWidth } from '../../terminal/text/width.ts';
import { contains, matchOf, olderMatches } from '../composer/history.ts';
import { composerMarkColumns, layout, composerColumns, composerRows } from '../composer/layout.ts';
import { shownText } from '../composer/paste.ts';
import type { ReplState } from '../state.ts';
import { viSelection } from '../composer/vi/vi-keys.ts';
import { shorten } from './fit-parts.ts';
import { useAppearance, type Appearance, Lines } from './Rows.tsx';

/** The draft as laid out for the window; during a history search, the match replaces it. */
export function composerOf(state: ReplState) {
  const found = state.search && matchOf(state.history, state.search);
  const draft = found ?? state.composer;
  const selected = found === undefined ? viSelection(state) : undefined;
  const placeholder = state.activity === undefined ? 'type a prompt' : 'type the next prompt';
  return {
    ...layout(draft, composerColumns(state.columns), composerRows(state.rows), selected),
    placeholder,
  };
}

export type ComposerView = ReturnType<typeof composerOf>;

/** The mark of a row: at the start of the text, or where more text is out of sight. */
function markOf(composer: ComposerView, index: number, { style, symbols }: Appearance): string {
  const isLast = index === composer.rows.length - 1;
  if (index === 0 && composer.hasMoreAbove) return style.dim(symbols.up);
  if (isLast && composer.hasMoreBelow) return style.dim(symbols.down);
  return index === 0 ? style.cyan(symbols.mark) : ' ';
}

/** Inverted, also without colours. */
function withSelection(
  row: string,
  selected: { readonly from: number; readonly to: number } | undefined,
): string {
  if (selected === undefined) return row;
  const [before, rest] = splitAtWidth(padToWidth(row, selected.to), selected.from);
  const [inside, after] = splitAtWidth(rest, selected.to - selected.from);
  return `${before}\u001B[7m${inside}\u001B[27m${after}`;
}

/** The draft; the terminal's cursor is its caret. */
export function Composer({ composer }: { readonly composer: ComposerView }): ReactNode {
  const appearance = useAppearance();
  const { style, symbols, columns } = appearance;
  const isEmpty = composer.rows.every((row) => row === '');
  const rows = isEmpty
    ? [style.dim(shorten(composer.placeholder, columns - composerMarkColumns, symbols))]
    : composer.rows.map((row, index) => withSelection(row, composer.selections?.[index]));
  return (
    <Lines lines={rows.map((row, index) => `${markOf(composer, index, appearance)} ${row}`)} />
  );
}

/** Rows of a search for older matches. */
const maxOlderMatches = 4;

/** The search through the history; its match is shown in the composer. */
export function searchOf({ history, search }: ReplState) {
  if (search === undefined) return undefined;
  const older = olderMatches(history, search, maxOlderMatches);
  const match = matchOf(history, search);
  return {
    query: sanitizeLine(search.query),
    found: !search.isFailed,
    /** The match in the composer contains the query. */
    isMatching: match !== undefined && contains(match, search.query),
    /** The next older matches, each on one line. */
    older: older.map((draft) => sanitizeLine(shownText(draft).replaceAll(/\s*\n\s*/g, ' '))),
  };
}

interface SearchLinesProps {
  readonly search: NonNullable<ReturnType<typeof searchOf>>;
  readonly rows: number;
}

/** What is searched for, and the next older matches. */
export function SearchLines({ search, rows }: SearchLinesProps): ReactNode {
  const { style, symbols, columns } = useAppearance();
  const failed = search.isMatching ? 'no other match: ' : 'not in the history: ';
  const label = search.found ? 'history: ' : failed;
  const query = shorten(search.query, columns - label.length, symbols);
  const older = search.older
    .slice(0, rows - 1)
    .map((text) => style.dim(`  ${shorten(text, columns - composerMarkColumns, symbols)}`));
  const first = (search.found ? style.dim(label) : style.yellow(label)) + query;
  return <Lines lines={[first, ...older]} />;
}
