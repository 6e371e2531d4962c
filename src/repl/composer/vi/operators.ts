import { graphemes } from '../../../terminal/text/width.ts';
import { lineEnd, lineStart, previousBoundary } from '../grapheme-boundary.ts';
import { isPasteMarker, mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import type { Target } from './targets.ts';
import { firstNonBlank } from './text.ts';
import type { Command, Operator, Range, Register } from './vi.ts';

/** Returns the same buffer if nothing changes. */
type Operation = (buffer: TextBuffer, target: Target, command: Command) => TextBuffer;

export function registerOf({ text, pastes }: TextBuffer, range: Range): Register {
  const { from, to, isLinewise } = range;
  return { text: text.slice(from, to), pastes, isLinewise };
}

const remove: Operation = (buffer, { from, to, isLinewise }) => {
  if (from === to && !isLinewise) return buffer;
  // Without a line after them, lines are removed with the line end before them.
  const isLast = isLinewise && to === buffer.text.length;
  const start = isLast ? Math.max(0, from - 1) : from;
  const removed = replaceRange(buffer, start, isLinewise && !isLast ? to + 1 : to, '');
  return moveTo(removed, isLinewise ? firstNonBlank(removed.text, start) : start);
};

const shift =
  (indentation: RegExp, shifted: string): Operation =>
  (buffer, { from, to }) => {
    const start = lineStart(buffer.text, from);
    const end = lineEnd(buffer.text, to);
    const lines = buffer.text.slice(start, end).replaceAll(indentation, shifted);
    const changed = replaceRange(buffer, start, end, lines);
    return moveTo(changed, firstNonBlank(changed.text, start));
  };

/** Paste markers, and characters whose other case is longer, stay. */
const changeCase =
  (change: (character: string) => string): Operation =>
  (buffer, { from, to, start }) => {
    const characters = Array.from(graphemes(buffer.text.slice(from, to)), (character) => {
      const changed = isPasteMarker(character) ? character : change(character);
      return changed.length === character.length ? changed : character;
    });
    return moveTo(replaceRange(buffer, from, to, characters.join('')), start);
  };

const toggleCase = changeCase((character) => {
  const upper = character.toUpperCase();
  return upper === character ? character.toLowerCase() : upper;
});

/** Nothing changes if the line has fewer than `count` characters; one line end replaces all of them. */
const replaceCharacters: Operation = (buffer, { from, to }, { character, count = 1, name }) => {
  const replaced = [...graphemes(buffer.text.slice(from, to))];
  const isSelection = name === 'selection';
  if (!isSelection && replaced.length < count) return buffer;
  if (!isSelection && character === '\n') return replaceRange(buffer, from, to, character);
  const text = replaced.map((each) => (each === '\n' ? each : character)).join('');
  const last = from + text.length - character.length;
  return moveTo(replaceRange(buffer, from, to, text), isSelection ? from : last);
};

/** Joins lines, a single one with the next one. */
const join: Operation = (buffer, range) => {
  const { text } = buffer;
  const from = lineStart(text, range.from);
  const end = lineEnd(text, range.to);
  const to = lineStart(text, end) === from ? lineEnd(text, end + 1) : end;
  const [first = '', ...others] = text.slice(from, to).split('\n');
  if (others.length === 0) return buffer;
  let joined = first;
  let at = 0;
  for (const line of others) {
    const added = line.replace(/^[ \t]+/, '');
    at = joined.length - Number(added === '');
    const isApart = joined === '' || /[ \t]$/.test(joined) || /^(?:\)|$)/.test(added);
    joined += isApart ? added : ` ${added}`;
  }
  return moveTo(replaceRange(buffer, from, to, joined), from + Math.max(0, at));
};

export const operations: Readonly<Record<Operator, Operation>> = {
  d: remove,
  c: (buffer, { from, to }) => moveTo(replaceRange(buffer, from, to, ''), from),
  y: (buffer, { start }) => moveTo(buffer, start),
  '>': shift(/^(?=.)/gm, '    '),
  '<': shift(/^(?: {1,4}|\t)/gm, ''),
  'g~': toggleCase,
  gu: changeCase((character) => character.toLowerCase()),
  gU: changeCase((character) => character.toUpperCase()),
  // It moves past the characters.
  '~': (buffer, target, command) => toggleCase(buffer, { ...target, start: target.to }, command),
  r: replaceCharacters,
  J: join,
};

/**
 * Puts the register in place of a range, `count` times, between line ends if it has lines and the range has not. The
 * caret is on the last character, or on the first one if there are several lines.
 */
export function put(
  buffer: TextBuffer,
  register: Register,
  { from, to, isLinewise }: Range,
  count: number,
  [before, after]: readonly [before: string, after: string],
): TextBuffer {
  const { text: content, pastes } = mergePastes(buffer.pastes, register);
  const separator = register.isLinewise ? '\n' : '';
  const whole = Array<string>(count).fill(content).join(separator);
  const done = replaceRange({ ...buffer, pastes }, from, to, before + whole + after);
  const start = from + before.length;
  if (register.isLinewise) return moveTo(done, firstNonBlank(done.text, start));
  const isInLine = !isLinewise && !whole.includes('\n');
  const last = previousBoundary(done.text, from + whole.length);
  return moveTo(done, isInLine ? Math.max(from, last) : start);
}
