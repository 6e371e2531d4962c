/** An open mark whose other half may still come. */
export interface Opener {
  readonly character: string;
  /** Marks not yet closed; a bracket counts one. */
  length: number;
  /** Whether the run could also have closed something: CommonMark's rule of three asks. */
  readonly both: boolean;
  position: number;
  /** Where the word it stands in begins: what is before may go out. */
  wordStart: number;
}

export type FormulaEnd = '$' | '$$' | '\\)' | '\\]';

/** A formula that has begun, unless its end does not come. */
export interface OpenFormula {
  readonly kind: 'formula';
  readonly close: FormulaEnd;
  /** Where it began. */
  readonly opened: number;
  /** Where the part of it begins that is not given out. */
  start: number;
  /** Where reading goes on if it is none. */
  from: number;
  /** It looks the same as text so far, and is given out as it comes: most dollars are amounts of money. */
  isPlain: boolean;
}

/** An open mark is taken literally when its other half is further away than this many code units. */
export const LONGEST_SPAN = 1000;

/** Inside these, other marks mean nothing; each may turn out not to be one and is then read again as text. */
export type Enclosure =
  | { readonly kind: 'code'; readonly from: number; readonly length: number }
  | { readonly kind: 'tag'; readonly from: number }
  | { readonly kind: 'address'; readonly from: number; depth: number }
  | OpenFormula;

/** A part of the text; plain when nothing in it is Markdown. */
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
  /** Where the undecided piece begins. */
  start: number;
  position: number;
  /** Where the present word begins; a wide character is a word. */
  wordStart: number;
  /** The character before the text. */
  before: string;
  openers: Opener[];
  enclosure: Enclosure | undefined;
  /** The undecided piece has something the lexer must read. */
  special: boolean;
  /** The word may be a bare link, which only a space ends. */
  linkWord: boolean;
  /** No more text comes. */
  final: boolean;
  decided: Range[];
  /** Mathematics, as far as it is not given out. */
  formulas: Place[];
  /** Up to here these do not end a formula: what was read once is not read again at the next beginning. */
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

/** A new word begins at the position: what no open mark holds back is decided. */
export function beginWord(state: ScanState, position: number): void {
  while (state.openers[0] && position - state.openers[0].position > LONGEST_SPAN) {
    state.openers.shift();
  }
  state.wordStart = position;
  decide(state, state.openers[0]?.wordStart ?? position);
}

/** Makes the text up to the position decided. */
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

/** The run of one repeated character at the position; a longer one is read as several. */
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
/** Scripts written without spaces: a line of them may go out after any character. */
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
