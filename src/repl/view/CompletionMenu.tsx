import type { ReactNode } from 'react';
import { displayWidth, padToWidth } from '../../terminal/text/width.ts';
import type { CompletionView } from './view-model.ts';
import { useAppearance } from './appearance.ts';
import { shorten } from './fit-parts.ts';
import { Lines } from './Rows.tsx';

interface CompletionMenuProps {
  readonly menu: CompletionView;
  readonly rows: number;
}

/** Index of the first visible candidate, so that the selected one is visible. */
function firstInSight({ candidates, selected }: CompletionView, rows: number): number {
  const centred = selected - Math.floor(rows / 2);
  return Math.max(0, Math.min(centred, candidates.length - rows));
}

/** The candidates around the selected one. */
export function CompletionMenu({ menu, rows }: CompletionMenuProps): ReactNode {
  const { style, signs, columns } = useAppearance();
  const first = firstInSight(menu, rows);
  const shown = menu.candidates.slice(first, first + rows);
  const widest = Math.max(0, ...shown.map(({ label }) => displayWidth(label)));
  const labelColumns = Math.min(widest, Math.floor(columns / 2));
  const lines = shown.map(({ label, summary = '' }, index) => {
    const isSelected = first + index === menu.selected;
    const mark = isSelected ? signs.mark : ' ';
    const name = padToWidth(shorten(label, labelColumns, signs), labelColumns);
    const rest = shorten(summary, columns - labelColumns - 4, signs);
    return `${mark} ${isSelected ? style.bold(name) : name}  ${style.dim(rest)}`;
  });
  return <Lines lines={lines} />;
}
