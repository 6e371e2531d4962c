import type { ReactNode } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, padToWidth } from '../../terminal/text/width.ts';
import type { Candidate, CompletionRequest } from '../composer/completion.ts';
import type { CompletionMenu as CompletionState } from '../state.ts';
import { fittingEnd, shorten } from './fit-parts.ts';
import { firstVisible } from './fit-view.ts';
import { useAppearance, type Appearance, Lines } from './Rows.tsx';

export interface CompletionView {
  /** All candidates, best first; the view shows those near the selected one. */
  readonly candidates: readonly {
    readonly label: string;
    readonly argument?: string;
    readonly summary?: string;
  }[];
  /** Index in `candidates`. */
  readonly selected: number;
}

/** Columns beside a path in the menu: its mark, and the position. */
const pathMargin = 17;

/** A long path is shortened at its start: its name matters most. */
function candidateLabel(
  { kind }: CompletionRequest,
  { value, isFolder }: Candidate,
  columns: number,
): string {
  const slash = kind === 'command' ? '/' : '';
  const label = sanitizeLine(`${slash}${value}${isFolder === true ? '/' : ''}`);
  const room = Math.max(8, columns - pathMargin);
  return kind !== 'path' || displayWidth(label) <= room
    ? label
    : `...${fittingEnd(label, room - 3)}`;
}

export function completionView(
  { request, candidates, selected }: CompletionState,
  columns: number,
): CompletionView {
  return {
    candidates: candidates.map((candidate) => ({
      label: candidateLabel(request, candidate, columns),
      ...(candidate.argument === undefined ? {} : { argument: candidate.argument }),
      ...(candidate.summary === undefined ? {} : { summary: sanitizeLine(candidate.summary) }),
    })),
    selected,
  };
}

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

type ShownCandidate = CompletionView['candidates'][number];

const nameOf = ({ label, argument }: ShownCandidate) =>
  argument === undefined ? label : `${label} ${argument}`;

interface RowPlace {
  /** The width of the names. */
  readonly columns: number;
  readonly isSelected: boolean;
  /** At the right edge. */
  readonly position: string;
}

/** Columns of the mark, and between the names and the summaries. */
const margins = 4;

function rowText(candidate: ShownCandidate, place: RowPlace, appearance: Appearance): string {
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
