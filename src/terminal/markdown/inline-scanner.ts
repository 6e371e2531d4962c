// Splits inline Markdown into pieces that can be parsed alone. The pieces depend only on the text, not on the parts it
// arrived in.
import {
  isWide,
  beginWord,
  decide,
  initialScan,
  MAX_SPAN,
  needsMore,
  runLength,
  type Place,
  type ScanState,
} from './scan-state.ts';
import { handleRun } from './delimiters.ts';
import { stepEnclosure } from './enclosures.ts';
import { isDisplayFormula, isLinkPart, handleDollar, moveFormula, openFormula } from './formula.ts';

/** A piece that can be parsed alone. */
export interface Segment {
  readonly text: string;
  /** It has no Markdown and is shown as it is. */
  readonly plain: boolean;
  /** Mathematics in it, which is shown as written. */
  readonly formulas: readonly Place[];
}

export interface InlineScanner {
  /** The pieces that are decided with this text. */
  write(text: string): Segment[];
  /** The rest, in which open marks are literal. The scanner is empty afterwards. */
  end(): Segment[];
  undecided(): string;
  /** A displayed formula (`$$`, `\[`) may be open; the next line then belongs to it. */
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

/** Discards decided text, but not at every call, because all positions change. */
function forget(state: ScanState): void {
  const { start } = state;
  if (start < MAX_SPAN && start < state.text.length) return;
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

/** Reads up to and including the next meaningful character. @returns false if more text is needed */
function step(state: ScanState): boolean {
  if (state.enclosure) return stepEnclosure(state, state.enclosure);
  const limit = state.wordStart + MAX_SPAN;
  if (state.position >= limit) beginWord(state, state.position);
  const { text } = state;
  const end = Math.min(text.length, state.wordStart + MAX_SPAN);
  let position = state.position;
  while (position < end) {
    const code = text.charCodeAt(position);
    if (code < 128 ? meaningful[code] === 1 : code >= FIRST_WIDE) break;
    position += 1;
  }
  state.position = position;
  return position >= end || handleCharacter(state, text[position] ?? '');
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
