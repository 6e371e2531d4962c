// Splits inline Markdown into pieces that can be parsed alone. The pieces depend only on the text, not on the parts it
// arrived in.
import {
  isWide,
  beginWord,
  decide,
  MAX_SPAN,
  needsMore,
  runLength,
  type Place,
  type ScanState,
} from './scan-state.ts';
import { handleRun } from './delimiters.ts';
import { stepEnclosure } from './enclosures.ts';
import { isLinkPart, handleDollar, moveFormula, openFormula } from './formula.ts';

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
  if (enclosure?.kind === 'formula') state.enclosure = moveFormula(enclosure, start);
  else if (enclosure) state.enclosure = { ...enclosure, from: enclosure.from - start };
}

const MEANINGFUL = new Set(
  Array.from(' \t\n\\`*_~[]<&@/.$', (character) => character.charCodeAt(0)),
);
const meaningful = Uint8Array.from({ length: 128 }, (_, code) => (MEANINGFUL.has(code) ? 1 : 0));
const FIRST_WIDE = 0x2e80;
const SPACE = 0x20;

/** Reads up to and including the next character that may be a mark. @returns false if more text is needed */
function step(state: ScanState): boolean {
  if (state.enclosure) return stepEnclosure(state, state.enclosure);
  if (state.position >= state.wordStart + MAX_SPAN) beginWord(state, state.position);
  const { text } = state;
  const isPlain = !state.special && state.openers.length === 0;
  let word = state.wordStart;
  let end = Math.min(text.length, word + MAX_SPAN);
  let { position } = state;
  for (; position < end; position += 1) {
    const code = text.charCodeAt(position);
    if (code === SPACE && isPlain) {
      word = position;
      end = Math.min(text.length, word + MAX_SPAN);
    } else if (code < 128 ? meaningful[code] === 1 : code >= FIRST_WIDE) break;
  }
  state.position = position;
  if (word > state.wordStart) {
    beginWord(state, word);
    state.linkWord = false;
  }
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
