// Finds where inline Markdown may be cut: every piece can be read alone, and where the cuts are depends on the
// text only, not on the parts it arrived in.
import { isWide } from './character-class.ts';
import { meetRun } from './delimiters.ts';
import { stepEnclosure } from './enclosures.ts';
import {
  beginWord,
  decide,
  initialScan,
  LONGEST_SPAN,
  needsMore,
  runLength,
  type ScanState,
} from './scan-state.ts';

/** A piece that can be read alone. */
export interface Segment {
  readonly text: string;
  /** Nothing in it is Markdown: it is shown as it is. */
  readonly plain: boolean;
}

export interface InlineScanner {
  /** The pieces decided by this text and what came before. Soft line breaks are spaces, hard ones `\n`. */
  write(text: string): Segment[];
  /** The rest; what is still open is literal. The scanner is then empty. */
  end(): Segment[];
  /** What is not decided yet. */
  held(): string;
}

export function createInlineScanner(): InlineScanner {
  let state = initialScan();

  function take(): Segment[] {
    const segments = state.decided.map(({ from, to, plain }) => ({
      text: state.text.slice(from, to),
      plain,
    }));
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
    held: () => state.text.slice(state.start),
  };
}

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
  const { enclosure } = state;
  if (enclosure) state.enclosure = { ...enclosure, from: enclosure.from - start };
}

const MEANINGFUL = new Set(
  Array.from(' \t\n\\`*_~[]<&@/.', (character) => character.charCodeAt(0)),
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
    case '\\':
    case '&':
      state.special = true;
      if (character === '&') break;
      if (needsMore(state, state.position + 1)) return false;
      state.position += 1;
      break;
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
      meetLinkPart(state, character);
      break;
    default:
      if (isWide(character) && !state.linkWord) beginWord(state, state.position);
  }
  state.position += 1;
  return true;
}

/** An address, `://` or `www.` makes the word a link. */
function meetLinkPart(state: ScanState, character: string): void {
  const found =
    character === '@' ||
    (character === '/' && state.text.startsWith('://', state.position - 2)) ||
    (character === '.' &&
      /^www\.$/i.test(state.text.slice(state.position - 3, state.position + 1)));
  if (found) state.special = state.linkWord = true;
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
