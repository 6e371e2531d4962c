import { isWide } from '../text/width.ts';

/** An open mark that may still be closed. */
export interface Opener {
  readonly character: string;
  /** Number of marks still open; 1 for a bracket. */
  length: number;
  /** The run could also have closed something, for CommonMark's rule of three. */
  readonly both: boolean;
  position: number;
  /** Start of its word; the text before can be emitted. */
  wordStart: number;
}

type FormulaEnd = '$' | '$$' | '\\)' | '\\]';

/** A formula whose end has not been found yet. */
interface OpenFormula {
  readonly kind: 'formula';
  readonly close: FormulaEnd;
  opened: number;
  /** Where reading continues if it is not a formula. */
  from: number;
  /** Start of the current word, and the open braces before it. */
  word: number;
  depth: number;
}

/** Maximum UTF-16 units between an open mark and its end; beyond it, the mark is literal. */
const MAX_SPAN = 1000;

/** Other marks have no meaning inside. Without an end, it is read again as text. */
type Enclosure =
  | { readonly kind: 'code'; from: number; readonly length: number }
  | { readonly kind: 'tag'; from: number }
  | { readonly kind: 'address'; from: number; depth: number }
  | OpenFormula;

/** A part of the text; plain if it has no Markdown. */
interface Range {
  readonly from: number;
  to: number;
  readonly plain: boolean;
}

/** A range from the first character to the one after the last. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** Positions are indexes in `text`. */
export interface ScanState {
  text: string;
  /** Start of the undecided piece. */
  start: number;
  position: number;
  /** Start of the current word; a wide character is a word. */
  wordStart: number;
  /** The last character before the text. */
  before: string;
  openers: Opener[];
  enclosure: Enclosure | undefined;
  /** The lexer must read the undecided piece. */
  special: boolean;
  /** The word may be a bare link, which ends only at a space. */
  linkWord: boolean;
  /** The text has ended. */
  final: boolean;
  decided: Range[];
  /** Mathematics that is not emitted yet. */
  formulas: Place[];
  /** Positions up to which no such end exists, so that the next opening does not search again. */
  unclosed: Record<'\\)' | '\\]', number>;
}

export function initialScan(): ScanState {
  return {
    text: '',
    start: 0,
    position: 0,
    wordStart: 0,
    before: '',
    openers: [],
    enclosure: undefined,
    special: false,
    linkWord: false,
    final: false,
    decided: [],
    formulas: [],
    unclosed: { '\\)': 0, '\\]': 0 },
  };
}

/** Starts a new word: the text before it is decided, unless a mark is open. */
function beginWord(state: ScanState, position: number): void {
  while (state.openers[0] && position - state.openers[0].position > MAX_SPAN) {
    state.openers.shift();
  }
  state.wordStart = position;
  decide(state, state.openers[0]?.wordStart ?? position);
}

function decide(state: ScanState, to: number): void {
  const from = state.start;
  if (to <= from) return;
  const plain = !state.special;
  const last = state.decided.at(-1);
  if (plain && last?.plain) last.to = to;
  else state.decided.push({ from, to, plain });
  state.start = to;
  if (to === state.wordStart) state.special = false;
}

/** Length of the run of one character at the position; a run over 100 is read as several. */
function runLength(text: string, position: number): number {
  const longest = 100;
  let end = position + 1;
  while (end - position < longest && text[end] === text[position]) end += 1;
  return end - position;
}

function needsMore(state: ScanState, position: number): boolean {
  return position >= state.text.length && !state.final;
}

const space = /\s/;
const punctuation = /[\p{P}\p{S}]/u;
function isSpace(character: string): boolean {
  return character === '' || character === ' ' || space.test(character);
}

function isPunctuation(character: string): boolean {
  return punctuation.test(character);
}

// Mathematics in running text: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` by pandoc's rule (no space after the first
// dollar or before the second, and no digit after that). Most dollars are amounts of money, or variables of a shell: a
// word of prose, or a letter after the second dollar, shows that it is no formula.

/** UTF-16 units after which an opening without an end is text. */
const maxFormula: Readonly<Record<FormulaEnd, number>> = {
  $: 400,
  '\\)': 1000,
  $$: 4000,
  '\\]': 4000,
};

function openFormula(state: ScanState, close: FormulaEnd): void {
  const { position } = state;
  const from = position + close.length;
  const known = close === '\\)' || close === '\\]' ? state.unclosed[close] : 0;
  state.enclosure = { kind: 'formula', close, opened: position, from, word: from, depth: 0 };
  state.position = Math.max(from, known);
}

/** @returns false if more text is needed */
function handleDollar(state: ScanState): boolean {
  const { text, position, linkWord } = state;
  if (needsMore(state, position + 1)) return false;
  const next = text[position + 1] ?? '';
  if (!linkWord && next === '$') openFormula(state, '$$');
  else if (!linkWord && !isSpace(next)) openFormula(state, '$');
  else state.position = position + 1;
  return true;
}

const proseWord = /^\p{L}{2,}[.,;:!?)'"]*$/u;
const mathematicalWord =
  /^(?:sin|cos|tan|cot|log|ln|exp|max|min|sup|inf|lim|det|dim|gcd|mod|div|if|Var|Cov|Pr)\b/;

/** Reads one character of a formula. @returns false if more text is needed */
function stepFormula(state: ScanState, formula: OpenFormula, found: number): boolean {
  const { text } = state;
  state.position = found + 1;
  switch (text.charAt(found)) {
    case '\\':
      state.position = found;
      if (needsMore(state, found + 1)) return false;
      if (text.startsWith(formula.close, found)) return closeFormula(state, formula, found + 2);
      state.position = found + 2;
      return true;
    case '$':
      return stepDollar(state, formula, found);
    case '{':
      formula.depth += 1;
      return true;
    case '}':
      formula.depth -= 1;
      return true;
    default:
      return isProse(text, formula, found) ? reject(state, formula, found) : true;
  }
}

/** Whether a word ends that is not in a formula: one in dollars has only the names of functions, except in braces. */
function isProse(text: string, formula: OpenFormula, found: number): boolean {
  const { close, depth, from } = formula;
  const word = text.slice(formula.word, found);
  const isFirst = formula.word === from;
  formula.word = found + 1;
  if (!close.startsWith('$') || depth > 0 || isFirst) return false;
  return proseWord.test(word) && !mathematicalWord.test(word);
}

/** The ends of words that may follow a formula: the $n$th. */
const wordEnd = /^(?:th|st|nd|rd|s)(?![\p{L}\p{N}])/u;

function stepDollar(state: ScanState, formula: OpenFormula, found: number): boolean {
  const { text } = state;
  const { close } = formula;
  state.position = found;
  if (close.startsWith('$') && needsMore(state, found + 1)) return false;
  const next = text[found + 1] ?? '';
  if (close === '$') {
    if (isSpace(text[found - 1] ?? '')) return reject(state, formula, found);
    const isFollowed = /[\p{L}\p{N}_{]/u.test(next) && !isWide(next);
    if (isFollowed && needsMore(state, found + 3)) return false;
    return !isFollowed || wordEnd.test(text.slice(found + 1, found + 4))
      ? closeFormula(state, formula, found + 1)
      : reject(state, formula, found);
  }
  if (close === '$$' && next === '$') return closeFormula(state, formula, found + 2);
  state.position = found + 1;
  return true;
}

function closeFormula(state: ScanState, { opened }: OpenFormula, end: number): true {
  state.formulas.push({ from: opened, to: end });
  return leave(state, end);
}

export function isDisplayFormula(enclosure: ScanState['enclosure']): boolean {
  return enclosure?.kind === 'formula' && (enclosure.close === '$$' || enclosure.close === '\\]');
}

/** Whether `@`, `://` or `www.` at this position makes the word a link. */
function isLinkPart(text: string, position: number): boolean {
  switch (text.charAt(position)) {
    case '@':
      return true;
    case '/':
      return text.startsWith('://', position - 2);
    default:
      return /^www\.$/i.test(text.slice(position - 3, position + 1));
  }
}

// Splits inline Markdown into pieces that can be parsed alone. The pieces depend only on the text, not on the parts it
// arrived in.

const nextIn = {
  code: /`/g,
  tag: /[<>]/g,
  address: /[()\\]/g,
  formula: /[\\${} \t\n]/g,
};

/** Real addresses do not nest parentheses deeper. Without a limit, hostile text takes quadratic time. */
const MAX_ADDRESS_DEPTH = 8;

/** Reads to the end of the open code span, tag, link address or formula. @returns false if more text is needed */
function stepEnclosure(state: ScanState, enclosure: Enclosure): boolean {
  const next = nextIn[enclosure.kind];
  next.lastIndex = state.position;
  const found = next.exec(state.text)?.index ?? -1;
  const reached = found === -1 ? state.text.length : found;
  if (isTooLong(enclosure, reached)) return reject(state, enclosure, reached);
  if (found === -1) {
    state.position = reached;
    return state.final && reject(state, enclosure, reached);
  }
  switch (enclosure.kind) {
    case 'code':
      return handleBackticks(state, enclosure, found);
    case 'tag':
      return state.text[found] === '>' ? leave(state, found + 1) : reject(state, enclosure, found);
    case 'address':
      return handleParenthesis(state, enclosure, found);
    case 'formula':
      return stepFormula(state, enclosure, found);
  }
}

function isTooLong(enclosure: Enclosure, reached: number): boolean {
  if (enclosure.kind !== 'formula') return reached - enclosure.from > MAX_SPAN;
  return reached - enclosure.opened > maxFormula[enclosure.close];
}

function handleBackticks(
  state: ScanState,
  enclosure: Enclosure & { kind: 'code' },
  found: number,
): boolean {
  const length = runLength(state.text, found);
  state.position = found;
  if (needsMore(state, found + length)) return false;
  state.position = found + length;
  return length === enclosure.length ? leave(state, state.position) : true;
}

function handleParenthesis(
  state: ScanState,
  enclosure: Enclosure & { kind: 'address' },
  found: number,
): boolean {
  const character = state.text[found];
  state.position = found + (character === '\\' ? 2 : 1);
  if (character === '(') enclosure.depth += 1;
  if (character === ')') enclosure.depth -= 1;
  if (enclosure.depth > MAX_ADDRESS_DEPTH) return reject(state, enclosure, found);
  return enclosure.depth === 0 ? leave(state, state.position) : true;
}

function leave(state: ScanState, position: number): true {
  state.position = position;
  state.enclosure = undefined;
  state.special = true;
  return true;
}

/** The opening is text, and what follows it is read again. */
function reject(state: ScanState, enclosure: Enclosure, reached: number): true {
  if (enclosure.kind === 'formula' && enclosure.close.startsWith('\\')) {
    state.unclosed[enclosure.close as '\\)' | '\\]'] = reached;
  }
  state.position = enclosure.from;
  state.enclosure = undefined;
  return true;
}

interface DelimiterRun {
  readonly character: string;
  readonly length: number;
  readonly before: string;
  readonly after: string;
  readonly position: number;
  readonly wordStart: number;
}

/**
 * Emphasis (CommonMark 6.2), close enough to know which marks are still open; the lexer decides what they mean. Text in
 * scripts without spaces may follow a closing mark directly.
 * @returns whether a mark was closed
 */
export function handleRun(openers: Opener[], run: DelimiterRun): boolean {
  const spaceBefore = isSpace(run.before);
  const spaceAfter = isSpace(run.after);
  const markBefore = isPunctuation(run.before);
  const markAfter = isPunctuation(run.after);
  const left = !spaceAfter && (!markAfter || spaceBefore || markBefore || isWide(run.before));
  const right = !spaceBefore && (!markBefore || spaceAfter || markAfter || isWide(run.after));
  const underscore = run.character === '_';
  const canOpen = left && (!underscore || !right || markBefore);
  const canClose = right && (!underscore || !left || markAfter);
  if (run.character === '~' && run.length !== 2) return false;
  const rest = canClose ? closeOpeners(openers, run, canOpen) : run.length;
  if (rest > 0 && canOpen) {
    const { character, position, wordStart } = run;
    openers.push({ character, length: rest, both: canClose, position, wordStart });
  }
  return rest < run.length;
}

/** Closes the openers that the run can close, and drops those in between. @returns the marks that are left */
function closeOpeners(openers: Opener[], run: DelimiterRun, both: boolean): number {
  let rest = run.length;
  for (let index = openers.length - 1; index >= 0 && rest > 0; index -= 1) {
    const opener = openers[index];
    if (opener?.character !== run.character) continue;
    const three = (opener.both || both) && (opener.length + rest) % 3 === 0 && rest % 3 !== 0;
    if (three) continue;
    const used = Math.min(opener.length, rest, opener.length >= 2 && rest >= 2 ? 2 : 1);
    openers.length = index + 1;
    opener.length -= used;
    rest -= used;
    if (opener.length === 0) openers.pop();
    else index += 1;
  }
  return rest;
}

/** Reads more text; `decided` then has the pieces that it decides. Take them before the next call. */
export function scan(state: ScanState, text: string): void {
  forget(state);
  state.text += text;
  while (state.position < state.text.length && step(state));
}

/** Decides the rest, in which open marks are literal. */
export function endScan(state: ScanState): void {
  state.final = true;
  while ((state.position < state.text.length || state.enclosure) && step(state));
  decide(state, state.text.length);
}

/** Takes the formulas of a decided piece, with their places in it. */
export function takeFormulas(state: ScanState, { from, to }: Place): readonly Place[] {
  const next = state.formulas.findIndex((formula) => formula.from >= to);
  const taken = next === -1 ? state.formulas.splice(0) : state.formulas.splice(0, next);
  return taken.map((formula) => movePlace(formula, from));
}

const movePlace = ({ from, to }: Place, units: number): Place => {
  return { from: from - units, to: to - units };
};

/** Discards decided text, but not at every call if the places of marks change. */
function forget(state: ScanState): void {
  const { start } = state;
  const hasPlaces = state.openers.length > 0 || state.enclosure !== undefined;
  if (start === 0 || (hasPlaces && start < MAX_SPAN)) return;
  state.before = state.text[start - 1] ?? state.before;
  state.text = state.text.slice(start);
  state.start = 0;
  state.position -= start;
  state.wordStart -= start;
  for (const opener of state.openers) {
    opener.position -= start;
    opener.wordStart -= start;
  }
  state.formulas = state.formulas.map((formula) => movePlace(formula, start));
  state.unclosed['\\)'] -= start;
  state.unclosed['\\]'] -= start;
  const { enclosure } = state;
  if (enclosure === undefined) return;
  enclosure.from -= start;
  if (enclosure.kind === 'formula') {
    enclosure.opened -= start;
    enclosure.word -= start;
  }
}

/** White space, marks, and characters of scripts without spaces. */
const meaningful = /[ \t\n\\`*_~[\]<&@/.$\u2e80-\uffff]/;

/** Reads up to and including the next character that may be a mark. @returns false if more text is needed */
function step(state: ScanState): boolean {
  if (state.enclosure) return stepEnclosure(state, state.enclosure);
  if (state.position >= state.wordStart + MAX_SPAN) {
    const isInPair = /[\ud800-\udbff]/.test(state.text.charAt(state.position - 1));
    beginWord(state, state.position - Number(isInPair));
  }
  const { text, position, wordStart } = state;
  const end = Math.min(text.length, wordStart + MAX_SPAN);
  const found = text.slice(position, end).search(meaningful);
  state.position = found === -1 ? end : position + found;
  return found === -1 || handleCharacter(state, text[state.position] ?? '');
}

function handleCharacter(state: ScanState, character: string): boolean {
  switch (character) {
    case ' ':
    case '\t':
    case '\n':
      beginWord(state, state.position);
      state.linkWord = false;
      break;
    case '&':
      state.special = true;
      break;
    case '\\':
      return handleBackslash(state);
    case '$':
      return handleDollar(state);
    case '`':
    case '*':
    case '_':
    case '~':
      return handleMark(state, character);
    case '[':
    case ']':
      return handleBracket(state, character);
    case '<':
      return handleAngle(state);
    case '@':
    case '/':
    case '.':
      if (isLinkPart(state.text, state.position)) state.special = state.linkWord = true;
      break;
    default:
      if (isWide(character) && !state.linkWord) beginWord(state, state.position);
  }
  state.position += 1;
  return true;
}

/** The next character is text, or starts mathematics. */
function handleBackslash(state: ScanState): boolean {
  const { text, position } = state;
  state.special = true;
  if (needsMore(state, position + 1)) return false;
  const next = text[position + 1];
  if (next === '(' || next === '[') openFormula(state, next === '(' ? '\\)' : '\\]');
  else state.position = position + 2;
  if (next === '\n') state.linkWord = false;
  return true;
}

function handleMark(state: ScanState, character: string): boolean {
  const { text, position } = state;
  const length = runLength(text, position);
  const after = position + length;
  if (needsMore(state, after)) return false;
  const before = text[position - 1] ?? state.before;
  if (isWide(before) && !state.linkWord) beginWord(state, position);
  state.position = after;
  if (character === '`') {
    state.enclosure = { kind: 'code', from: after, length };
    return true;
  }
  const { wordStart } = state;
  const run = { character, length, before, after: text[after] ?? '', position, wordStart };
  if (handleRun(state.openers, run)) state.special = true;
  return true;
}

function handleBracket(state: ScanState, character: string): boolean {
  const { position, openers, wordStart } = state;
  if (character === ']') {
    if (needsMore(state, position + 1)) return false;
    const index = openers.findLastIndex((opener) => opener.character === '[');
    if (index !== -1 && state.text[position + 1] === '(') {
      openers.length = index;
      state.enclosure = { kind: 'address', from: position + 2, depth: 1 };
      state.position = position + 2;
      return true;
    }
    if (index !== -1) openers.splice(index, 1);
  } else {
    openers.push({ character, length: 1, both: false, position, wordStart });
  }
  state.position = position + 1;
  return true;
}

function handleAngle(state: ScanState): boolean {
  const { position, text } = state;
  if (needsMore(state, position + 1)) return false;
  state.position = position + 1;
  if (/[a-zA-Z/!?]/.test(text[position + 1] ?? '')) {
    state.enclosure = { kind: 'tag', from: position + 1 };
  }
  return true;
}
