import { formulaEnd, isLongFormula } from '../markdown/leaf-syntax.ts';
import { spokenFormula } from './spoken-formula.ts';
import { spokenInline } from './spoken-inline.ts';
import { takeLabel, writeLine, type SpokenFormula, type SpokenState } from './spoken-state.ts';

/** A line of a displayed formula, which is read when its end is known. */
export function addFormulaLine(state: SpokenState, text: string): void {
  const isOpen = state.leaf.kind === 'formula';
  const formula = state.leaf.kind === 'formula' ? state.leaf : openFormula(state, text);
  if (formula.lines) {
    formula.lines.push(text);
    if (isLongFormula(formula.lines)) closeFormula(state, formula);
  } else writeText(state, text);
  if (!text.includes(formula.close, isOpen ? 0 : 2)) state.leaf = formula;
  else {
    if (formula.lines) writeFormula(state, formula.label, formula.lines.join('\n'));
    state.leaf = { kind: 'none' };
  }
}

function openFormula(state: SpokenState, text: string): SpokenFormula {
  return { kind: 'formula', label: takeLabel(state), close: formulaEnd(text) ?? '', lines: [] };
}

/** A formula without an end is text. */
export function closeFormula(state: SpokenState, formula: SpokenFormula): void {
  const lines = formula.lines ?? [];
  formula.lines = undefined;
  const end = lines.findLastIndex((line) => line.trim() !== '') + 1;
  for (const [index, line] of lines.slice(0, end).entries()) {
    writeText(state, (index === 0 ? formula.label : '') + line);
  }
  state.blankBefore ||= end < lines.length;
}

function writeText(state: SpokenState, text: string): void {
  writeLine(state, spokenInline(text).trim());
}

function writeFormula(state: SpokenState, label: string, source: string): void {
  const [, body = source, after = ''] =
    /^\s*(?:\$\$|\\\[)([^]*?)(?:\$\$|\\\])([^]*)$/.exec(source) ?? [];
  writeLine(state, `${label}formula: ${spokenFormula(body)}${after.trimEnd()}`);
}
