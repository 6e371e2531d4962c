// Finds where inline Markdown may be cut: every piece can be read alone, and where the cuts are depends on the
// text only, not on the parts it arrived in.
import {
  isWide,
  beginWord,
  decide,
  initialScan,
  LONGEST_SPAN,
  needsMore,
  runLength,
  type Place,
  type ScanState,
} from './scan-state.ts';
import { meetRun } from './delimiters.ts';
import { stepEnclosure } from './enclosures.ts';
import { isDisplayFormula, isLinkPart, meetDollar, moveFormula, openFormula } from './formula.ts';

/** A piece that can be read alone. */
export interface Segment {
  readonly text: string;
  /** Nothing in it is Markdown: it is shown as it is. */
  readonly plain: boolean;
  /** Mathematics in it: shown as it is written. */
  readonly formulas: readonly Place[];
}

export interface InlineScanner {
  /** The pieces decided by this text and what came before. */
  write(text: string): Segment[];
  /** The rest; what is still open is literal. The scanner is then empty. */
  end(): Segment[];
  /** What is not decided yet. */
  undecided(): string;
  /** A displayed formula (`$$`, `\[`) may be open: a line that follows belongs to it. */
  isInFormula(): boolean;
}

export function createInlineScanner(): InlineScanner {
  let state = initialScan();

  function take(): Segment[] {
    let next = 0;
    const segments = state.decided.map(({ from, to, plain }): Segment => {
      const first = next;
      while ((state.formulas[next]?.from ?? to) < to) next += 1;
      const formulas = state.formulas.slice(first, next).map((formula) => movePlace(formula, from));
      return { text: state.text.slice(from, to), plain, formulas };
    });
    state.formulas = state.formulas.slice(next);
    state.decided = [];
    return segments;
  }

  return {
    write(text) {
      state.text += text;
      while (state.position < state.text.length && step(state));
      const segments = take();
      forget(state);
      return segments;
    },
    end() {
      state.final = true;
      while ((state.position < state.text.length || state.enclosure) && step(state));
      decide(state, state.text.length);
      const segments = take();
      state = initialScan();
      return segments;
    },
    undecided: () => state.text.slice(state.start),
    isInFormula: () => isDisplayFormula(state.enclosure),
  };
}

const movePlace = ({ from, to }: Place, units: number): Place => {
  return { from: from - units, to: to - units };
};

/** Lets decided text go, but not at every call: all positions move. */
function forget(state: ScanState): void {
  const { start } = state;
  if (start < LONGEST_SPAN && start < state.text.length) return;
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
  if (enclosure?.kind === 'formula') state.enclosure = moveFormula(enclosure, start);
  else if (enclosure) state.enclosure = { ...enclosure, from: enclosure.from - start };
}

const MEANINGFUL = new Set(
  Array.from(' \t\n\\`*_~[]<&@/.$', (character) => character.charCodeAt(0)),
);
const meaningful = Uint8Array.from({ length: 128 }, (_, code) => (MEANINGFUL.has(code) ? 1 : 0));
const FIRST_WIDE = 0x2e80;

/** Reads on to what follows the next meaningful character. False: more text is needed. */
function step(state: ScanState): boolean {
  if (state.enclosure) return stepEnclosure(state, state.enclosure);
  const limit = state.wordStart + LONGEST_SPAN;
  if (state.position >= limit) beginWord(state, state.position);
  const { text } = state;
  const end = Math.min(text.length, state.wordStart + LONGEST_SPAN);
  let position = state.position;
  while (position < end) {
    const code = text.charCodeAt(position);
    if (code < 128 ? meaningful[code] === 1 : code >= FIRST_WIDE) break;
    position += 1;
  }
  state.position = position;
  return position >= end || meet(state, text[position] ?? '');
}

function meet(state: ScanState, character: string): boolean {
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
      return meetBackslash(state);
    case '$':
      return meetDollar(state);
    case '`':
    case '*':
    case '_':
    case '~':
      return meetMark(state, character);
    case '[':
    case ']':
      return meetBracket(state, character);
    case '<':
      return meetAngle(state);
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

/** The character after it is text, or begins mathematics. */
function meetBackslash(state: ScanState): boolean {
  const { text, position } = state;
  state.special = true;
  if (needsMore(state, position + 1)) return false;
  const next = text[position + 1];
  if (next === '(' || next === '[') openFormula(state, next === '(' ? '\\)' : '\\]');
  else state.position = position + 2;
  if (next === '\n') state.linkWord = false;
  return true;
}

function meetMark(state: ScanState, character: string): boolean {
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
  if (meetRun(state.openers, run)) state.special = true;
  return true;
}

function meetBracket(state: ScanState, character: string): boolean {
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

function meetAngle(state: ScanState): boolean {
  const { position, text } = state;
  if (needsMore(state, position + 1)) return false;
  state.position = position + 1;
  if (/[a-zA-Z/!?]/.test(text[position + 1] ?? '')) {
    state.enclosure = { kind: 'tag', from: position + 1 };
  }
  return true;
}
