let toRows: ((tex: string) => readonly string[] | undefined) | undefined;

/** The start of a formula; at the end of a text, the rest may be in the next text. */
const perhapsFormula = /\$|\\(?:[([b]|$)/;

/** Loads the tables of TeX if the text may contain a formula; undefined if they are not needed. */
export function loadFormulas(text: string): Promise<void> | undefined {
  return toRows === undefined && perhapsFormula.test(text) ? load() : undefined;
}

async function load(): Promise<void> {
  try {
    toRows = (await import('./formula-text.ts')).formulaRows;
  } catch {
    // The installation was just removed or replaced: formulas are shown as TeX.
    toRows = () => undefined;
  }
}

/** `$…$`, `$$…$$`, `\(…\)` and `\[…\]` without their marks; an environment as it is. */
function withoutMarks(source: string): string {
  const [, double, single] = /^(?:\$\$([^]*)\$\$|\$([^]*)\$)$/.exec(source) ?? [];
  const [, round] = /^\\[([]([^]*)\\[)\]]$/.exec(source) ?? [];
  return double ?? single ?? round ?? source;
}

/**
 * The Unicode rows of a formula with its marks; undefined if a part of it has none. Await {@link loadFormulas} for the
 * text before; else formulas stay TeX.
 */
export function formulaRows(source: string): readonly string[] | undefined {
  return toRows?.(withoutMarks(source));
}
