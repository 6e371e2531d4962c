import type { ReactNode } from 'react';
import type { ComposerView } from './view-model.ts';
import { useAppearance, type Appearance } from './appearance.ts';
import { shorten } from './fit-parts.ts';
import { Lines } from './Rows.tsx';

/** The mark of a row: at the start of the text, or where more text is out of sight. */
function markOf(composer: ComposerView, index: number, { style, signs }: Appearance): string {
  const isLast = index === composer.rows.length - 1;
  if (index === 0 && composer.hasMoreAbove) return style.dim(signs.up);
  if (isLast && composer.hasMoreBelow) return style.dim(signs.down);
  return index === 0 ? style.cyan(signs.mark) : ' ';
}

/** The draft; the terminal's cursor is its caret. */
export function Composer({ composer }: { readonly composer: ComposerView }): ReactNode {
  const appearance = useAppearance();
  const { style, signs, columns } = appearance;
  const isEmpty = composer.rows.every((row) => row === '');
  const rows = isEmpty
    ? [style.dim(shorten(composer.placeholder, columns - 2, signs))]
    : composer.rows;
  return (
    <Lines lines={rows.map((row, index) => `${markOf(composer, index, appearance)} ${row}`)} />
  );
}
