// Mathematics in running text, which is shown as written: `\\(…\\)`, `\\[…\\]`, `$$…$$`, and `$…$` by pandoc's rule (no
// space after the first dollar or before the second, and no digit after that).
import {
  isSpace,
  beginWord,
  type FormulaEnd,
  needsMore,
  type OpenFormula,
  type ScanState,
} from './scan-state.ts';

/** UTF-16 units after which an opening without an end is text. */
export const maxFormula: Readonly<Record<FormulaEnd, number>> = {
  $: 400,
  '\\)': 1000,
  $$: 4000,
  '\\]': 4000,
};

export function openFormula(state: ScanState, close: FormulaEnd): void {
  const { position } = state;
  const from = position + close.length;
  const isPlain = close.startsWith('$');
  const known = close === '\\)' || close === '\\]' ? state.unclosed[close] : 0;
  state.enclosure = { kind: 'formula', close, opened: position, start: position, from, isPlain };
  state.position = Math.max(from, known);
}

/** @returns false if more text is needed */
export function handleDollar(state: ScanState): boolean {
  const { text, position, linkWord } = state;
  if (needsMore(state, position + 1)) return false;
  const next = text[position + 1] ?? '';
  if (!linkWord && next === '$') openFormula(state, '$$');
  else if (!linkWord && !isSpace(next)) openFormula(state, '$');
  else state.position = position + 1;
  return true;
}

/** What a character means in a formula; a number is the end of the formula. */
type Step = 'needs more' | 'continue' | 'not a formula' | number;

export function stepInFormula(state: ScanState, formula: OpenFormula, found: number): Step {
  const { text } = state;
  state.position = found;
  switch (text.charAt(found)) {
    case '\\':
      formula.isPlain = false;
      if (needsMore(state, found + 1)) return 'needs more';
      if (text.startsWith(formula.close, found)) return found + 2;
      state.position = found + 2;
      return 'continue';
    case '$':
      return handleDollarInside(state, formula, found);
    case ' ':
    case '\t':
    case '\n':
      if (formula.isPlain) release(state, formula, found);
      break;
    case '/':
    case '.':
      if (isLinkPart(text, found)) formula.isPlain = false;
      break;
    default:
      formula.isPlain = false;
  }
  state.position = found + 1;
  return 'continue';
}

function handleDollarInside(state: ScanState, formula: OpenFormula, found: number): Step {
  const { text } = state;
  const { close } = formula;
  if (close.startsWith('$') && needsMore(state, found + 1)) return 'needs more';
  const next = text[found + 1] ?? '';
  if (close === '$') {
    return isSpace(text[found - 1] ?? '') || /\d/.test(next) ? 'not a formula' : found + 1;
  }
  if (close === '$$' && next === '$') return found + 2;
  formula.isPlain = false;
  state.position = found + 1;
  return 'continue';
}

/** The words so far are shown the same whether or not this is a formula. */
function release(state: ScanState, formula: OpenFormula, position: number): void {
  beginWord(state, position);
  formula.start = formula.from = position;
}

export function closeFormula(state: ScanState, { start }: OpenFormula, end: number): void {
  state.formulas.push({ from: start, to: end });
}

export function isDisplayFormula(enclosure: ScanState['enclosure']): boolean {
  return enclosure?.kind === 'formula' && (enclosure.close === '$$' || enclosure.close === '\\]');
}

/** The formula after `units` of text before it were discarded. */
export function moveFormula(formula: OpenFormula, units: number): OpenFormula {
  const { opened, start, from } = formula;
  return { ...formula, opened: opened - units, start: start - units, from: from - units };
}

/** Whether `@`, `://` or `www.` at this position makes the word a link. */
export function isLinkPart(text: string, position: number): boolean {
  switch (text.charAt(position)) {
    case '@':
      return true;
    case '/':
      return text.startsWith('://', position - 2);
    default:
      return /^www\.$/i.test(text.slice(position - 3, position + 1));
  }
}
