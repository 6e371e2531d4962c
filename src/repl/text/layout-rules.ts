/** Columns of the mark in front of the composer's rows. */
export const composerMarkColumns = 2;

/** Columns available to the composer's text. */
export function composerColumns(columns: number): number {
  return Math.max(1, columns - composerMarkColumns);
}

/** Maximum height of the composer. */
export function composerRows(rows: number): number {
  return Math.max(1, Math.min(10, Math.floor(rows / 2)));
}

/** Rows per Page Up or Page Down. */
export function pageRows(rows: number): number {
  return Math.max(1, composerRows(rows) - 1);
}
