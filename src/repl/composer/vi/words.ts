import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { isEmptyLine, isLineEnd, lineEnd } from './lines.ts';

// Words as in vi: runs of letters, digits and underscores, or of other characters; with `isBig`, of anything but
// blanks. An empty line is a word, except for the end of a word. The position of a line end counts as a blank.

const blank = /^[\s\u00a0\u3000]$/u;
const wordCharacter = /^[\p{Letter}\p{Number}\p{Mark}_]$/u;
const scripts = [
  /^\p{Script=Han}$/u,
  /^\p{Script=Hiragana}$/u,
  /^\p{Script=Katakana}$/u,
  /^\p{Script=Hangul}$/u,
  /^\p{Extended_Pictographic}$/u,
];

/** Equal for characters of one word; 0 for blanks. */
export function kindAt(text: string, at: number, isBig: boolean): number {
  const code = text.codePointAt(at);
  const character = code === undefined ? ' ' : String.fromCodePoint(code);
  if (blank.test(character)) return 0;
  if (isBig) return 1;
  const script = scripts.findIndex((pattern) => pattern.test(character));
  if (script !== -1) return 3 + script;
  return wordCharacter.test(character) ? 2 : 1;
}

/** One character further, also over a line end; the same offset at the end of the text. */
function forward(text: string, at: number): number {
  return at >= text.length ? at : nextBoundary(text, at);
}

function leavesLine(text: string, from: number, to: number): boolean {
  return text.charAt(from) === '\n' || isLineEnd(text, to);
}

/** The start of the next word. `endsInLine`: for an operator, which does not join lines. */
export function wordForward(
  text: string,
  from: number,
  isBig: boolean,
  endsInLine: boolean,
): number {
  const isLastLine = lineEnd(text, from) === text.length;
  const kind = kindAt(text, from, isBig);
  let at = forward(text, from);
  if (at === from || (leavesLine(text, from, at) && (isLastLine || endsInLine))) return at;
  if (kind !== 0) {
    while (kindAt(text, at, isBig) === kind) {
      at = forward(text, at);
      if (isLineEnd(text, at) && endsInLine) return at;
    }
  }
  while (kindAt(text, at, isBig) === 0 && !isEmptyLine(text, at)) {
    const next = forward(text, at);
    if (next === at) return at;
    const isOver = leavesLine(text, at, next) && (isLastLine || endsInLine);
    at = next;
    if (isOver) return at;
  }
  return at;
}

function endOfRun(text: string, from: number, isBig: boolean): number {
  const kind = kindAt(text, from, isBig);
  let at = from;
  for (let next = forward(text, at); next !== at; next = forward(text, at)) {
    if (kindAt(text, next, isBig) !== kind) break;
    at = next;
  }
  return at;
}

/** The last character of the word, or of the next word if it is on the last character and not `stays`. */
export function wordEnd(text: string, from: number, isBig: boolean, stays: boolean): number {
  const kind = kindAt(text, from, isBig);
  let at = forward(text, from);
  if (kind !== 0 && kindAt(text, at, isBig) === kind) return endOfRun(text, at, isBig);
  if (stays && kind !== 0) return from;
  while (kindAt(text, at, isBig) === 0) {
    const next = forward(text, at);
    if (next === at) return at;
    at = next;
  }
  return endOfRun(text, at, isBig);
}

function startOfRun(text: string, from: number, isBig: boolean): number {
  const kind = kindAt(text, from, isBig);
  let at = from;
  while (at > 0) {
    const before = previousBoundary(text, at);
    if (kindAt(text, before, isBig) !== kind) break;
    at = before;
  }
  return at;
}

/** The start of the word, or of the previous one; undefined at the start of the text. */
export function wordBack(text: string, from: number, isBig: boolean): number | undefined {
  if (from === 0) return undefined;
  let at = previousBoundary(text, from);
  while (kindAt(text, at, isBig) === 0) {
    if (isEmptyLine(text, at) || at === 0) return at;
    at = previousBoundary(text, at);
  }
  return startOfRun(text, at, isBig);
}

/** The last character of the previous word; undefined at the start of the text. */
export function wordEndBack(text: string, from: number, isBig: boolean): number | undefined {
  if (from === 0) return undefined;
  const kind = kindAt(text, from, isBig);
  let at = previousBoundary(text, from);
  if (kind !== 0) {
    while (kindAt(text, at, isBig) === kind) {
      if (at === 0) return at;
      at = previousBoundary(text, at);
    }
  }
  while (kindAt(text, at, isBig) === 0 && !isEmptyLine(text, at)) {
    if (at === 0) return at;
    at = previousBoundary(text, at);
  }
  return at;
}
