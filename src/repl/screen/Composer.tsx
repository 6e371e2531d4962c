import type { ReactNode } from 'react';
import { padToWidth, splitAtWidth } from '../../terminal/text/width.ts';
import { type HistorySearch, matchOf } from '../composer/history.ts';
import { composerMarkColumns, layout, composerColumns, composerRows } from '../composer/layout.ts';
import type { ReplState } from '../state.ts';
import { caretShapeOf, viSelection } from '../composer/vi/vi-keys.ts';
import { Lines, useCaret, useView, type View } from './view.tsx';

/** The draft as laid out for the window; during a history search, the match replaces it. */
export function composerOf(state: ReplState, search: HistorySearch | undefined) {
  const found = search && matchOf(state.history, search);
  const draft = found ?? state.composer;
  const selected = found === undefined ? viSelection(state) : undefined;
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
export function Composer({ composer }: { readonly composer: ComposerLayout }): ReactNode {
  const view = useView();
  const { vi, activity } = view.state;
  useCaret({
    column: composerMarkColumns + composer.cursorColumn,
    rowsBelow: composer.rows.length - 1 - composer.cursorRow,
    shape: vi && caretShapeOf(vi),
  });
  const placeholder = activity === undefined ? 'type a prompt' : 'type the next prompt';
  const rows = composer.rows.every((row) => row === '')
    ? [view.style.dim(placeholder)]
    : composer.rows.map((row, index) => withSelection(row, composer.selections?.[index]));
  return <Lines lines={rows.map((row, index) => `${markOf(composer, index, view)} ${row}`)} />;
}
