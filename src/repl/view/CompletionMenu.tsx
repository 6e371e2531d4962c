import type { ReactNode } from 'react';
import { displayWidth, padToWidth } from '../../terminal/text/width.ts';
import { useAppearance, type Appearance } from './appearance.ts';
import { shorten } from './fit-parts.ts';
import { firstVisible } from './fit-view.ts';
import { Lines } from './Rows.tsx';
import type { CompletionView } from './view-model.ts';

/** `9/23 ↑↓`: the number of the selected candidate, and where there are more; empty if all are visible. */
function positionText(
  { candidates, selected }: CompletionView,
  { first, rows }: { readonly first: number; readonly rows: number },
  { symbols }: Appearance,
): string {
  if (candidates.length <= rows) return '';
  const up = first > 0 ? symbols.up : '';
  const down = first + rows < candidates.length ? symbols.down : '';
  return `  ${selected + 1}/${candidates.length} ${up}${down}`;
}

type Candidate = CompletionView['candidates'][number];

const nameOf = ({ label, argument }: Candidate) =>
  argument === undefined ? label : `${label} ${argument}`;

interface RowPlace {
  /** Of the names. */
  readonly columns: number;
  readonly isSelected: boolean;
  /** At the right edge. */
  readonly position: string;
}

/** Columns of the mark, and between the names and the summaries. */
const margins = 4;

function rowText(candidate: Candidate, place: RowPlace, appearance: Appearance): string {
  const { style, symbols } = appearance;
  const { isSelected, position } = place;
  const { label, summary = '' } = candidate;
  const name = padToWidth(shorten(nameOf(candidate), place.columns, symbols), place.columns);
  const [word, argument] = [name.slice(0, label.length), name.slice(label.length)];
  const room = appearance.columns - place.columns - margins - displayWidth(position);
  const rest = shorten(summary, room, symbols);
  const shown = position === '' ? rest : padToWidth(rest, room) + position;
  const mark = isSelected ? style.cyan(symbols.mark) : ' ';
  return `${mark} ${isSelected ? style.bold(word) : word}${style.dim(`${argument}  ${shown}`)}`;
}

/** Columns of the position. */
const maxPosition = 12;

interface CompletionMenuProps {
  readonly menu: CompletionView;
  readonly rows: number;
}

/** The candidates around the selected one. */
export function CompletionMenu({ menu, rows }: CompletionMenuProps): ReactNode {
  const appearance = useAppearance();
  const first = firstVisible(menu.selected, menu.candidates.length, rows);
  const shown = menu.candidates.slice(first, first + rows);
  const widest = Math.max(
    0,
    ...menu.candidates.map((candidate) => displayWidth(nameOf(candidate))),
  );
  const hasSummaries = menu.candidates.some(({ summary = '' }) => summary !== '');
  const half = Math.floor(appearance.columns / 2);
  const room = hasSummaries ? half : Math.max(half, appearance.columns - margins - maxPosition);
  const columns = Math.min(widest, room);
  const lines = shown.map((candidate, index) => {
    const isSelected = first + index === menu.selected;
    const isLast = index === shown.length - 1;
    const position = isLast ? positionText(menu, { first, rows }, appearance) : '';
    return rowText(candidate, { columns, isSelected, position }, appearance);
  });
  return <Lines lines={lines} />;
}
