import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import {
  firstNonBlank,
  isEmptyLine,
  isLineEnd,
  lineEnd,
  lineStart,
  lineStartFrom,
  onCharacter,
} from './lines.ts';
import { caseChanges, withCase } from './operators.ts';
import { repeatText } from './repeat-text.ts';
import type { Register } from './vi-state.ts';

// Changes of normal mode that are not an operator with a motion. They return the same buffer if nothing changes.

function putLines(buffer: TextBuffer, lines: string, isAfter: boolean): TextBuffer {
  const { text, cursor } = buffer;
  const at = isAfter ? lineEnd(text, cursor) : lineStart(text, cursor);
  const done = replaceRange(buffer, at, at, isAfter ? `\n${lines}` : `${lines}\n`);
  return moveTo(done, onCharacter(done.text, firstNonBlank(done.text, isAfter ? at + 1 : at)));
}

/** `p` and `P`: the caret is on the last character of the text, or on the first if it has several lines. */
export function put(
  buffer: TextBuffer,
  register: Register,
  isAfter: boolean,
  count: number,
): TextBuffer {
  const { text: content, pastes } = mergePastes(buffer.pastes, register);
  const merged = { ...buffer, pastes };
  if (register.isLinewise) {
    return putLines(merged, repeatText(content, count, '\n'), isAfter);
  }
  const { text, cursor } = merged;
  const at = isAfter && !isLineEnd(text, cursor) ? nextBoundary(text, cursor) : cursor;
  const whole = repeatText(content, count);
  const done = replaceRange(merged, at, at, whole);
  const end = at + whole.length;
  return moveTo(done, whole.includes('\n') ? at : previousBoundary(done.text, end));
}

/** The blanks between two joined lines. */
function glueOf(before: string, after: string): string {
  if (after === '' || after.startsWith(')') || before === '' || /[ \t]$/.test(before)) return '';
  return ' ';
}

/** `J` and `gJ`: joins `count` lines; without a second line, nothing changes. */
export function join(buffer: TextBuffer, count: number, isSpaced: boolean): TextBuffer {
  const { text, cursor } = buffer;
  const from = lineStart(text, cursor);
  const to = lineEnd(text, lineStartFrom(text, cursor, Math.max(1, count - 1)));
  const lines = text.slice(from, to).split('\n');
  if (lines.length < Math.min(2, count + 1)) return buffer;
  let joined = lines[0] ?? '';
  let at = joined.length;
  for (const line of lines.slice(1)) {
    const added = isSpaced ? line.replace(/^[ \t]+/, '') : line;
    const glue = isSpaced ? glueOf(joined, added) : '';
    at = joined.length + (glue === '' && isSpaced && added === '' ? -1 : 0);
    joined += glue + added;
  }
  const done = replaceRange(buffer, from, to, joined);
  return moveTo(done, onCharacter(done.text, from + Math.max(0, at)));
}

/** `r`: nothing changes if the line has fewer characters. */
export function replaceCharacters(
  buffer: TextBuffer,
  character: string,
  count: number,
): TextBuffer {
  const { text, cursor } = buffer;
  let end = cursor;
  for (let left = count; left > 0; left -= 1) {
    if (isLineEnd(text, end)) return buffer;
    end = nextBoundary(text, end);
  }
  const isLine = character === '\n';
  const replaced = replaceRange(buffer, cursor, end, isLine ? '\n' : character.repeat(count));
  const at = replaced.cursor;
  return isLine ? replaced : moveTo(replaced, previousBoundary(replaced.text, at));
}

/** `~`: switches the case of characters and moves past them. */
export function toggleCase(buffer: TextBuffer, count: number): TextBuffer {
  const { text, cursor } = buffer;
  let end = cursor;
  for (let left = count; left > 0 && !isLineEnd(text, end); left -= 1)
    end = nextBoundary(text, end);
  const toggled = withCase(text.slice(cursor, end), caseChanges['g~']);
  const done = replaceRange(buffer, cursor, end, toggled);
  return moveTo(done, onCharacter(done.text, end));
}

/** `o` and `O`: an empty line for text. */
export function openLine(buffer: TextBuffer, isBelow: boolean): TextBuffer {
  const { text, cursor } = buffer;
  const at = isBelow ? lineEnd(text, cursor) : lineStart(text, cursor);
  const opened = replaceRange(buffer, at, at, '\n');
  return moveTo(opened, isBelow ? at + 1 : at);
}

/** Where `i`, `a`, `I`, `A` and `gI` insert text. */
export function insertionOffset({ text, cursor }: TextBuffer, name: string): number {
  switch (name) {
    case 'a':
      return isEmptyLine(text, cursor) || isLineEnd(text, cursor)
        ? cursor
        : nextBoundary(text, cursor);
    case 'A':
      return lineEnd(text, cursor);
    case 'I':
      return firstNonBlank(text, cursor);
    case 'gI':
      return lineStart(text, cursor);
    default:
      return cursor;
  }
}
