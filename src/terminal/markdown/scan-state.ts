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

export type FormulaEnd = '$' | '$$' | '\\)' | '\\]';

/** A formula whose end has not been found yet. */
export interface OpenFormula {
  readonly kind: 'formula';
  readonly close: FormulaEnd;
  readonly opened: number;
  /** Where reading continues if it is not a formula. */
  readonly from: number;
  /** Start of the current word, and the open braces before it. */
  word: number;
  depth: number;
}

/** Maximum UTF-16 units between an open mark and its end; beyond it, the mark is literal. */
export const MAX_SPAN = 1000;

/** Other marks have no meaning inside. Without an end, it is read again as text. */
export type Enclosure =
  | { readonly kind: 'code'; readonly from: number; readonly length: number }
  | { readonly kind: 'tag'; readonly from: number }
  | { readonly kind: 'address'; readonly from: number; depth: number }
  | OpenFormula;

/** A part of the text; plain if it has no Markdown. */
interface Range {
  readonly from: number;
  to: number;
  readonly plain: boolean;
}

/** From the first character to the one after the last. */
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
export function beginWord(state: ScanState, position: number): void {
  while (state.openers[0] && position - state.openers[0].position > MAX_SPAN) {
    state.openers.shift();
  }
  state.wordStart = position;
  decide(state, state.openers[0]?.wordStart ?? position);
}

export function decide(state: ScanState, to: number): void {
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
export function runLength(text: string, position: number): number {
  const longest = 100;
  let end = position + 1;
  while (end - position < longest && text[end] === text[position]) end += 1;
  return end - position;
}

export function needsMore(state: ScanState, position: number): boolean {
  return position >= state.text.length && !state.final;
}

const space = /\s/;
const punctuation = /[\p{P}\p{S}]/u;
/** Scripts written without spaces, which can be emitted after any character. */
const wide = /[\u2e80-\u3098\u309b-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]/;

export function isSpace(character: string): boolean {
  return character === '' || character === ' ' || space.test(character);
}

export function isPunctuation(character: string): boolean {
  return punctuation.test(character);
}

export function isWide(character: string): boolean {
  return character >= '\u2e80' && wide.test(character);
}
