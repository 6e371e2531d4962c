/** The mark before the composer's first row, and the indentation of the others. */
export const composerMark = '> ';

/**
 * Columns and rows that the composer's text may take in a window: `editing/layout.ts` lays it out for them.
 * A third of the window, so that what the answer says stays in sight.
 */
export function composerSize(
  columns: number,
  rows: number,
): { readonly columns: number; readonly rows: number } {
  // The view never uses the window's last column: a full row would wrap in some terminals.
  return {
    columns: Math.max(8, columns - composerMark.length - 1),
    rows: Math.max(1, Math.min(10, Math.floor(rows / 3))),
  };
}
