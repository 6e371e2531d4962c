// Mathematics in running text: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` by pandoc's rule (no space after the first
// dollar or before the second, and no digit after that). Most dollars are amounts of money, or variables of a shell: a
// word of prose, or a letter after the second dollar, shows that it is no formula.
import {
  isSpace,
  isWide,
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
  const known = close === '\\)' || close === '\\]' ? state.unclosed[close] : 0;
  state.enclosure = { kind: 'formula', close, opened: position, from, word: from, depth: 0 };
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
  state.position = found + 1;
  switch (text.charAt(found)) {
    case '\\':
      state.position = found;
      if (needsMore(state, found + 1)) return 'needs more';
      if (text.startsWith(formula.close, found)) return found + 2;
      state.position = found + 2;
      return 'continue';
    case '$':
      return handleDollarInside(state, formula, found);
    case '{':
      formula.depth += 1;
      return 'continue';
    case '}':
      formula.depth -= 1;
      return 'continue';
    default:
      return endWord(state, formula, found);
  }
}

const proseWord = /^\p{L}{2,}[.,;:!?)'"]*$/u;
const mathematicalWord =
  /^(?:sin|cos|tan|cot|log|ln|exp|max|min|sup|inf|lim|det|dim|gcd|mod|div|if|Var|Cov|Pr)\b/;

/** A formula in dollars has no words but the names of functions, except in braces. */
function endWord({ text }: ScanState, formula: OpenFormula, found: number): Step {
  const { close, depth, from } = formula;
  const word = text.slice(formula.word, found);
  const isFirst = formula.word === from;
  formula.word = found + 1;
  if (!close.startsWith('$') || depth > 0 || isFirst) return 'continue';
  return proseWord.test(word) && !mathematicalWord.test(word) ? 'not a formula' : 'continue';
}

/** The ends of words that may follow a formula: the $n$th. */
const wordEnd = /^(?:th|st|nd|rd|s)(?![\p{L}\p{N}])/u;

function handleDollarInside(state: ScanState, formula: OpenFormula, found: number): Step {
  const { text } = state;
  const { close } = formula;
  state.position = found;
  if (close.startsWith('$') && needsMore(state, found + 1)) return 'needs more';
  const next = text[found + 1] ?? '';
  if (close === '$') {
    if (isSpace(text[found - 1] ?? '')) return 'not a formula';
    if (!/[\p{L}\p{N}_{]/u.test(next) || isWide(next)) return found + 1;
    if (needsMore(state, found + 3)) return 'needs more';
    return wordEnd.test(text.slice(found + 1, found + 4)) ? found + 1 : 'not a formula';
  }
  if (close === '$$' && next === '$') return found + 2;
  state.position = found + 1;
  return 'continue';
}

export function closeFormula(state: ScanState, { opened }: OpenFormula, end: number): void {
  state.formulas.push({ from: opened, to: end });
}

export function isDisplayFormula(enclosure: ScanState['enclosure']): boolean {
  return enclosure?.kind === 'formula' && (enclosure.close === '$$' || enclosure.close === '\\]');
}

/** The formula after `units` of text before it were discarded. */
export function moveFormula(formula: OpenFormula, units: number): OpenFormula {
  const { opened, from, word } = formula;
  return { ...formula, opened: opened - units, from: from - units, word: word - units };
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
