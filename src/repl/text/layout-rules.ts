/** Columns of the mark before the composer's rows. */
export const composerMarkColumns = 2;

/** The composer's rows are laid out for so many columns. */
export function composerColumns(columns: number): number {
  return Math.max(1, columns - composerMarkColumns);
}

/** Rows of the composer that are shown at most. */
export function composerRows(rows: number): number {
  return Math.max(1, Math.min(10, Math.floor(rows / 2)));
}

/** Rows that Page Up and Page Down move by. */
export function pageRows(rows: number): number {
  return Math.max(1, composerRows(rows) - 1);
}
