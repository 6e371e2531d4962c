// Splits inline Markdown into pieces that can be parsed alone. The pieces depend only on the text, not on the parts it
// arrived in.

import { isWide } from '../text/width.ts';

/** An open mark that may still be closed. */
interface Opener {
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

/** Maximum UTF-16 units between an open mark and its end; beyond it, the mark is literal. */
const MAX_SPAN = 1000;

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
  /** The undecided piece has an open displayed formula. */
  isInDisplay: boolean;
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
  unclosed: { [Close in FormulaEnd]?: number };
}

export function initialScan(): ScanState {
  return {
    text: '',
    start: 0,
    position: 0,
    wordStart: 0,
    before: '',
    openers: [],
    isInDisplay: false,
    special: false,
    linkWord: false,
    final: false,
    decided: [],
    formulas: [],
    unclosed: {},
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

/** @returns false if more text is needed */
function handleDollar(state: ScanState): boolean {
  const { text, position, linkWord } = state;
  if (needsMore(state, position + 1)) return false;
  const next = text[position + 1] ?? '';
  if (!linkWord && next === '$') return readFormula(state, '$$');
  if (!linkWord && !isSpace(next)) return readFormula(state, '$');
  state.position = position + 1;
  return true;
}

function readFormula(state: ScanState, close: FormulaEnd): boolean {
  const { position } = state;
  const end = endOfFormula(state, close, position + close.length);
  state.isInDisplay = end === undefined && (close === '$$' || close === '\\]');
  if (end !== undefined && end > 0) state.formulas.push({ from: position, to: end });
  return enclose(state, position + close.length, end);
}

const proseWord = /^\p{L}{2,}[.,;:!?)'"]*$/u;
const mathematicalWord =
  /^(?:sin|cos|tan|cot|log|ln|exp|max|min|sup|inf|lim|det|dim|gcd|mod|div|if|Var|Cov|Pr)\b/;

function endOfFormula(state: ScanState, close: FormulaEnd, from: number): End {
  const { text, position, unclosed } = state;
  const hasDollars = close.startsWith('$');
  const stop = /[\\${} \t\n]/g;
  stop.lastIndex = hasDollars ? from : Math.max(from, unclosed[close] ?? 0);
  let depth = 0;
  let word = from;
  for (let found = stop.exec(text); found !== null; found = stop.exec(text)) {
    const { 0: character, index: at } = found;
    if (at - position > maxFormula[close]) break;
    if (character === '\\') {
      if (needsMore(state, at + 1)) return undefined;
      if (text.startsWith(close, at)) return at + 2;
      stop.lastIndex = at + 2;
    } else if (character === '$' && hasDollars) {
      const end = endAtDollar(state, close, at);
      if (end !== 'inside') return end;
    } else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (character !== '$') {
      // Of words, a formula in dollars has only the names of functions, except at its start and in braces.
      const isProse =
        proseWord.test(text.slice(word, at)) && !mathematicalWord.test(text.slice(word, at));
      if (isProse && hasDollars && depth <= 0 && word > from) return -1;
      word = at + 1;
    }
  }
  const end = endMissing(state, position, maxFormula[close]);
  if (end === -1) unclosed[close] = Math.min(text.length, position + maxFormula[close]);
  return end;
}

/** The ends of words that may follow a formula: the $n$th. */
const wordEnd = /^(?:th|st|nd|rd|s)(?![\p{L}\p{N}])/u;

function endAtDollar(state: ScanState, close: FormulaEnd, at: number): End | 'inside' {
  const { text } = state;
  if (needsMore(state, at + 1)) return undefined;
  const next = text[at + 1] ?? '';
  if (close === '$$') return next === '$' ? at + 2 : 'inside';
  if (isSpace(text[at - 1] ?? '')) return -1;
  const isFollowed = /[\p{L}\p{N}_{]/u.test(next) && !isWide(next);
  if (isFollowed && needsMore(state, at + 3)) return undefined;
  return !isFollowed || wordEnd.test(text.slice(at + 1, at + 4)) ? at + 1 : -1;
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

// Code spans, tags, addresses of links and formulas are read as a whole; other marks have no meaning inside.

/** Where it ends; -1 if it has no end, undefined if more text is needed. */
type End = number | undefined;

/** Continues after the end, or, as the opening is text without one, at `from`. @returns false if more text is needed */
function enclose(state: ScanState, from: number, end: End): boolean {
  if (end === undefined) return false;
  state.position = end === -1 ? from : end;
  state.special ||= end !== -1;
  return true;
}

function endMissing({ text, final }: ScanState, from: number, longest: number): End {
  return final || text.length - from > longest ? -1 : undefined;
}

function endOfCode(state: ScanState, from: number, length: number): End {
  for (const { 0: run, index } of state.text
    .slice(from, from + 2 * MAX_SPAN)
    .matchAll(/`{1,100}/g)) {
    if (index > MAX_SPAN) break;
    if (needsMore(state, from + index + run.length)) return undefined;
    if (run.length === length) return from + index + length;
  }
  return endMissing(state, from, MAX_SPAN);
}

function endOfTag(state: ScanState, from: number): End {
  const found = state.text.slice(from, from + MAX_SPAN + 1).search(/[<>]/);
  if (found === -1) return endMissing(state, from, MAX_SPAN);
  return state.text[from + found] === '>' ? from + found + 1 : -1;
}

/** Real addresses do not nest parentheses deeper. Without a limit, hostile text takes quadratic time. */
const MAX_ADDRESS_DEPTH = 8;

function endOfAddress(state: ScanState, from: number): End {
  let depth = 1;
  for (const { 0: found, index } of state.text
    .slice(from, from + MAX_SPAN + 1)
    .matchAll(/[()]|\\[^]?/g)) {
    if (found === '(') depth += 1;
    if (found === ')') depth -= 1;
    if (depth > MAX_ADDRESS_DEPTH) return -1;
    if (depth === 0) return from + index + 1;
  }
  return endMissing(state, from, MAX_SPAN);
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
function handleRun(openers: Opener[], run: DelimiterRun): boolean {
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
  state.isInDisplay = false;
  while (state.position < state.text.length && step(state));
}

/** Decides the rest, in which open marks are literal. */
export function endScan(state: ScanState): void {
  state.final = true;
  while (state.position < state.text.length && step(state));
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

/** Discards decided text, but not at every call, because the places of marks change. */
function forget(state: ScanState): void {
  const { start, unclosed } = state;
  if (start < MAX_SPAN) return;
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
  for (const close of ['\\)', '\\]'] as const) unclosed[close] = (unclosed[close] ?? 0) - start;
}

/** White space, marks, and characters of scripts without spaces. */
const meaningful = /[ \t\n\\`*_~[\]<&@/.$\u2e80-\uffff]/;

/** Reads up to and including the next character that may be a mark. @returns false if more text is needed */
function step(state: ScanState): boolean {
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
  if (next === '(' || next === '[') return readFormula(state, next === '(' ? '\\)' : '\\]');
  state.position = position + 2;
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
  if (character === '`') return enclose(state, after, endOfCode(state, after, length));
  state.position = after;
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
      const end = endOfAddress(state, position + 2);
      if (end !== undefined) openers.length = index;
      return enclose(state, position + 2, end);
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
  const isTag = /[a-zA-Z/!?]/.test(text[position + 1] ?? '');
  return enclose(state, position + 1, isTag ? endOfTag(state, position + 1) : -1);
}
