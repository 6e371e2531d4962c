import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import type { Column } from './table.ts';

/** A table for a screen reader: a line for each row, its first cell, then the other ones with their headings. */
export function spokenRows(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const lines = rows.map(([first = '', ...others]) => {
    const facts = others.flatMap((cell, index) =>
      cell === '' ? [] : [`${(columns[index + 1]?.heading ?? '').toLowerCase()} ${cell}`],
    );
    const cells = first === '' ? facts : [first, ...facts];
    return sanitizeLine(cells.join(', '));
  });
  return lines.map((line) => `${line}\n`).join('');
}
