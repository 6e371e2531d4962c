import { graphemes } from '../../../terminal/text/width.ts';
import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import { join } from './changes.ts';
import { beginInsertion } from './insertion.ts';
import {
  columnAt,
  firstNonBlank,
  isLineEnd,
  lineEnd,
  lineStart,
  lineStartFrom,
  onCharacter,
} from './lines.ts';
import { applyOperator, registerOf, wholeLines } from './operators.ts';
import type { Command, Operator } from './parse-keys.ts';
import { afterMotion, motionOf, type Ran } from './run-command.ts';
import { repeatText } from './repeat-text.ts';
import { objectRange, type Range } from './text-objects.ts';
import type { Extent, ViState } from './vi-state.ts';

/** The selected text: from the anchor to the caret, including both characters. */
export function selectionOf(vi: ViState, { text, cursor }: TextBuffer): Range {
  const from = Math.min(vi.anchor, cursor);
  const last = Math.max(vi.anchor, cursor);
  if (vi.mode === 'visual-line') return wholeLines(text, from, last);
  return { from, to: last < text.length ? nextBoundary(text, last) : last, isLinewise: false };
}

/** The lines of a selection, whose last character may be a line end. */
function linesOf(text: string, { from, to, isLinewise }: Range): Range {
  if (isLinewise) return { from, to, isLinewise };
  return wholeLines(text, from, to > from && text.charAt(to - 1) === '\n' ? to - 1 : to);
}

function extentOf(text: string, { from, to, isLinewise }: Range): Extent {
  const lines = text.slice(from, to).split('\n');
  return { isLinewise, lines: lines.length, characters: [...graphemes(lines.at(-1) ?? '')].length };
}

/** As much text from the caret as an earlier selection covered. */
function rangeOfExtent({ text, cursor }: TextBuffer, extent: Extent): Range {
  const last = lineStartFrom(text, cursor, extent.lines - 1);
  if (extent.isLinewise) return wholeLines(text, cursor, last);
  let to = extent.lines === 1 ? cursor : last;
  for (let left = extent.characters; left > 0 && !isLineEnd(text, to); left -= 1) {
    to = nextBoundary(text, to);
  }
  return { from: cursor, to, isLinewise: false };
}

const leaving = (vi: ViState): ViState => ({ ...vi, mode: 'normal', wantedColumn: undefined });

export function leaveVisual(vi: ViState, buffer: TextBuffer): Ran {
  const at = onCharacter(buffer.text, buffer.cursor);
  return { vi: leaving(vi), buffer: moveTo(buffer, at) };
}

const operatorNames: Readonly<Record<string, Operator>> = {
  d: 'd',
  x: 'd',
  D: 'd',
  X: 'd',
  c: 'c',
  s: 'c',
  C: 'c',
  S: 'c',
  R: 'c',
  y: 'y',
  Y: 'y',
  '>': '>',
  '<': '<',
  '~': 'g~',
  'g~': 'g~',
  u: 'gu',
  gu: 'gu',
  U: 'gU',
  gU: 'gU',
};

type Other = Extract<Command, { kind: 'other' }>;

function operate(
  vi: ViState,
  buffer: TextBuffer,
  command: Other,
  operator: Operator,
  selected: Range,
): Ran {
  const range = /^[DXYCSR<>]$/.test(command.name) ? linesOf(buffer.text, selected) : selected;
  const done = applyOperator(buffer, operator, range, selected.from);
  const { register = vi.register } = done;
  const next = { ...leaving(vi), register };
  if (done.inserts === true) {
    const once: Command = { ...command, count: undefined };
    const extent = extentOf(buffer.text, range);
    return beginInsertion(next, once, buffer, done.buffer, extent);
  }
  const change =
    operator === 'y' ? vi.change : { command, inserted: '', extent: extentOf(buffer.text, range) };
  const at = onCharacter(done.buffer.text, done.buffer.cursor);
  return { vi: { ...next, change }, buffer: moveTo(done.buffer, at) };
}

function replaceWith(vi: ViState, buffer: TextBuffer, range: Range, character: string): Ran {
  const selected = buffer.text.slice(range.from, range.to);
  const replaced = Array.from(graphemes(selected), (each) => (each === '\n' ? each : character));
  const done = replaceRange(buffer, range.from, range.to, replaced.join(''));
  return { vi: leaving(vi), buffer: moveTo(done, onCharacter(done.text, range.from)) };
}

/** `p` and `P`: the register replaces the selection, which with `p` becomes the register. */
function putOver(vi: ViState, buffer: TextBuffer, range: Range, command: Other): Ran {
  const { register } = vi;
  if (register === undefined) return leaveVisual(vi, buffer);
  const { text: content, pastes } = mergePastes(buffer.pastes, register);
  const isSplit = register.isLinewise && !range.isLinewise;
  const whole = repeatText(content, command.count ?? 1, register.isLinewise ? '\n' : '');
  const text = isSplit ? `\n${whole}\n` : whole;
  const done = replaceRange({ ...buffer, pastes }, range.from, range.to, text);
  const isInLine = !range.isLinewise && !register.isLinewise && !whole.includes('\n');
  const start = isSplit ? range.from + 1 : range.from;
  const at = isInLine ? previousBoundary(done.text, range.from + text.length) : start;
  const caret = register.isLinewise ? firstNonBlank(done.text, at) : Math.max(range.from, at);
  const kept = command.name === 'P' ? register : registerOf(buffer, range);
  const next = { ...leaving(vi), register: kept };
  return { vi: next, buffer: moveTo(done, onCharacter(done.text, caret)) };
}

function joinSelected(vi: ViState, buffer: TextBuffer, range: Range, isSpaced: boolean): Ran {
  const { from, to } = linesOf(buffer.text, range);
  const lines = buffer.text.slice(from, to).split('\n').length;
  return { vi: leaving(vi), buffer: join(moveTo(buffer, from), Math.max(2, lines), isSpaced) };
}

function switchMode(vi: ViState, buffer: TextBuffer, name: string): Ran {
  const mode = name === 'v' ? 'visual' : 'visual-line';
  return vi.mode === mode ? leaveVisual(vi, buffer) : { vi: { ...vi, mode }, buffer };
}

function other(vi: ViState, buffer: TextBuffer, command: Other, range: Range): Ran {
  const { name, character } = command;
  const operator = operatorNames[name];
  if (operator !== undefined) return operate(vi, buffer, command, operator, range);
  switch (name) {
    case 'r':
      return replaceWith(vi, buffer, range, character);
    case 'p':
    case 'P':
      return putOver(vi, buffer, range, command);
    case 'J':
    case 'gJ':
      return joinSelected(vi, buffer, range, name === 'J');
    case 'o':
    case 'O':
      return { vi: { ...vi, anchor: buffer.cursor }, buffer: moveTo(buffer, vi.anchor) };
    case 'v':
    case 'V':
      return switchMode(vi, buffer, name);
    case 'gj':
    case 'gk':
      return { vi, buffer, request: name === 'gj' ? 'row-down' : 'row-up' };
    default:
      return { vi, buffer };
  }
}

function select(vi: ViState, buffer: TextBuffer, name: string, count: number | undefined): Ran {
  const range = objectRange(buffer.text, buffer.cursor, name, count);
  if (range === undefined || (range.from === range.to && !range.isLinewise)) return { vi, buffer };
  const mode = range.isLinewise ? 'visual-line' : 'visual';
  const { text } = buffer;
  const last = range.isLinewise ? lineStart(text, range.to) : onCharacter(text, range.to - 1);
  return { vi: { ...vi, mode, anchor: range.from }, buffer: moveTo(buffer, last) };
}

function move(vi: ViState, buffer: TextBuffer, command: Extract<Command, { kind: 'move' }>): Ran {
  const { target, count } = command;
  if (target.kind === 'object') return select(vi, buffer, target.name, count);
  const moved = motionOf(vi, buffer, target, count, false);
  if (moved === undefined) return { vi, buffer };
  const { text } = buffer;
  const { offset, wantedColumn } = moved;
  const end = lineEnd(text, offset);
  // After `$`, and in a line that is too short, the line end is selected too.
  const isToEnd = wantedColumn !== undefined && wantedColumn >= columnAt(text, end);
  const at = isToEnd ? end : onCharacter(text, offset);
  return { vi: afterMotion(vi, moved), buffer: moveTo(buffer, at) };
}

/** Runs a command of visual mode. */
export function runVisual(vi: ViState, buffer: TextBuffer, command: Command): Ran {
  if (command.kind === 'move') return move(vi, buffer, command);
  if (command.kind === 'operate') return { vi, buffer };
  return other(vi, buffer, command, selectionOf(vi, buffer));
}

/** `.` after a change of a selection. */
export function repeatVisual(vi: ViState, buffer: TextBuffer, extent: Extent): Ran {
  const { change } = vi;
  if (change?.command.kind !== 'other') return { vi, buffer };
  return other(vi, buffer, change.command, rangeOfExtent(buffer, extent));
}
