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
  isPunctuation,
  isSpace,
  type Opener,
  type Enclosure,
} from './scan-state.ts';
import {
  isLinkPart,
  handleDollar,
  moveFormula,
  openFormula,
  closeFormula,
  maxFormula,
  stepInFormula,
} from './formula.ts';

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

function stepFormula(
  state: ScanState,
  formula: Enclosure & { kind: 'formula' },
  found: number,
): boolean {
  const formulaStep = stepInFormula(state, formula, found);
  if (formulaStep === 'needs more') return false;
  if (formulaStep === 'not a formula') return reject(state, formula, found);
  if (formulaStep === 'continue') return true;
  closeFormula(state, formula, formulaStep);
  return leave(state, formulaStep);
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
  const rest = canClose ? close(openers, run, canOpen) : run.length;
  if (rest > 0 && canOpen) {
    const { character, position, wordStart } = run;
    openers.push({ character, length: rest, both: canClose, position, wordStart });
  }
  return rest < run.length;
}

/** Closes the openers that the run can close, and drops those in between. @returns the marks that are left */
function close(openers: Opener[], run: DelimiterRun, both: boolean): number {
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
