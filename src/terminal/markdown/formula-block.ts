import { formulaRows } from '../formula/load-formulas.ts';
import { wrapText } from '../text/wrap.ts';
import { markerColumns, writeBlankLine, writeLine } from './block-output.ts';
import type { BlockState, Formula } from './block-state.ts';
import { formulaEnd, isLongFormula } from './leaf-syntax.ts';

const indent = '  ';

/** A line of a displayed formula, which is shown when its end is known. */
export function writeFormula(state: BlockState, text: string): void {
  const { output } = state;
  const isOpen = state.leaf.kind === 'formula';
  const formula: Formula =
    state.leaf.kind === 'formula'
      ? state.leaf
      : { kind: 'formula', close: formulaEnd(text) ?? '', lines: output.unicode ? [] : undefined };
  const ends = text.includes(formula.close, isOpen ? 0 : 2);
  if (formula.lines) {
    formula.lines.push(text);
    if (isLongFormula(formula.lines)) closeFormula(state, formula);
  } else writeSource(state, text);
  if (!ends) state.leaf = formula;
  else {
    if (formula.lines) writeWhole(state, formula.lines, formula.close);
    state.leaf = { kind: 'none' };
  }
}

/** A formula without an end is shown as it is written. */
export function closeFormula(state: BlockState, formula: Formula): void {
  for (const line of formula.lines ?? []) writeSource(state, line);
  formula.lines = undefined;
}

function writeSource({ output }: BlockState, text: string): void {
  if (text.trim() === '') writeBlankLine(output);
  else writeLine(output, text);
}

function writeWhole(state: BlockState, lines: readonly string[], close: string): void {
  const source = lines.join('\n');
  const end = source.lastIndexOf(close) + close.length;
  const rows = formulaRows(source.slice(0, end));
  if (rows === undefined) {
    for (const line of lines) writeSource(state, line);
    return;
  }
  const { output, options } = state;
  const columns = Math.max(1, options.width() - markerColumns(output) - indent.length);
  const text = rows.join('\n') + source.slice(end).trim();
  for (const row of wrapText(text, columns)) writeLine(output, indent + row);
}
