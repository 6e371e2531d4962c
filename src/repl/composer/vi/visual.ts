import { graphemes } from '../../../terminal/text/width.ts';
import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import { beginInsertion } from './insertion.ts';
import { afterMotion, motionOf, motions } from './motions.ts';
import { applyOperator, join, registerOf, wholeLines } from './operators.ts';
import { extended, objectRange } from './text-objects.ts';
import {
  columnAt,
  firstNonBlank,
  isLineEnd,
  lineEnd,
  lineStart,
  lineStartFrom,
  onCharacter,
  repeatText,
} from './text.ts';
import type { Command, Extent, Operator, Range, ViResult, ViState } from './vi-state.ts';

/** The selected text: from the anchor to the caret, including both characters. */
export function selectionOf(vi: ViState, { text, cursor }: TextBuffer): Range {
  const from = Math.min(vi.anchor, cursor);
  const last = Math.max(vi.anchor, cursor);
  if (vi.mode === 'visual-line') return wholeLines(text, from, last);
  return { from, to: last < text.length ? nextBoundary(text, last) : last, isLinewise: false };
}

/** What a command of visual mode acts on. */
interface Selected {
  readonly range: Range;
  /** All lines of the range, also an empty last one. */
  readonly lines: Range;
}

function selectedText(vi: ViState, buffer: TextBuffer): Selected {
  const [first, last] = [Math.min(vi.anchor, buffer.cursor), Math.max(vi.anchor, buffer.cursor)];
  return { range: selectionOf(vi, buffer), lines: wholeLines(buffer.text, first, last) };
}

function extentOf(text: string, { from, to, isLinewise }: Range): Extent {
  const lines = text.slice(from, to).split('\n');
  return { isLinewise, lines: lines.length, characters: [...graphemes(lines.at(-1) ?? '')].length };
}

/** As much text from the caret as an earlier selection covered. */
function textOfExtent({ text, cursor }: TextBuffer, extent: Extent): Selected {
  const last = lineStartFrom(text, cursor, extent.lines - 1);
  const lines = wholeLines(text, cursor, last);
  if (extent.isLinewise) return { range: lines, lines };
  let to = extent.lines === 1 ? cursor : last;
  for (let left = extent.characters; left > 0 && !isLineEnd(text, to); left -= 1) {
    to = nextBoundary(text, to);
  }
  return { range: { from: cursor, to, isLinewise: false }, lines };
}

const leaving = (vi: ViState): ViState => ({ ...vi, mode: 'normal', wantedColumn: undefined });

export function leaveVisual(vi: ViState, buffer: TextBuffer): ViResult {
  const at = onCharacter(buffer.text, buffer.cursor);
  return { vi: leaving(vi), buffer: moveTo(buffer, at) };
}

/** The commands that are an operator, by its name. */
const operatorNames: Readonly<Record<Operator, string>> = {
  d: 'd x D X',
  c: 'c s C S R',
  y: 'y Y',
  '>': '>',
  '<': '<',
  'g~': '~ g~',
  gu: 'u gu',
  gU: 'U gU',
};
const operators = new Map(
  Object.entries(operatorNames).flatMap(([operator, names]) =>
    names.split(' ').map((name) => [name, operator as Operator] as const),
  ),
);

/** The state with a change that `.` repeats. */
function withChange(vi: ViState, { text }: TextBuffer, command: Command, range: Range): ViState {
  return { ...vi, change: { command, inserted: '', extent: extentOf(text, range) } };
}

function beginTyping(
  vi: ViState,
  before: TextBuffer,
  command: Command,
  range: Range,
  buffer: TextBuffer,
): ViResult {
  const once: Command = { ...command, count: undefined };
  return beginInsertion(vi, once, before, buffer, extentOf(before.text, range));
}

function operate(
  vi: ViState,
  buffer: TextBuffer,
  command: Command,
  operator: Operator,
  selected: Selected,
): ViResult {
  const range = /^[DXYCSR<>]$/.test(command.name) ? selected.lines : selected.range;
  const done = applyOperator(buffer, operator, range, range.from);
  const { register = vi.register } = done;
  const next = { ...leaving(vi), register };
  if (done.inserts === true) return beginTyping(next, buffer, command, range, done.buffer);
  const after = operator === 'y' ? next : withChange(next, buffer, command, range);
  const at = onCharacter(done.buffer.text, done.buffer.cursor);
  return { vi: after, buffer: moveTo(done.buffer, at) };
}

/** `I` and `A`: before or after the selection. */
function insertBeside(vi: ViState, buffer: TextBuffer, command: Command, range: Range): ViResult {
  const { from, to, isLinewise } = range;
  const endsLine = !isLinewise && to > from && buffer.text.charAt(to - 1) === '\n';
  const end = endsLine ? to - 1 : to;
  const at = moveTo(buffer, command.name === 'I' ? from : end);
  return beginTyping(leaving(vi), buffer, command, range, at);
}

function replaceWith(vi: ViState, buffer: TextBuffer, command: Command, range: Range): ViResult {
  const { character } = command;
  const selected = buffer.text.slice(range.from, range.to);
  const replaced = Array.from(graphemes(selected), (each) => (each === '\n' ? each : character));
  const done = replaceRange(buffer, range.from, range.to, replaced.join(''));
  const next = withChange(leaving(vi), buffer, command, range);
  return { vi: next, buffer: moveTo(done, onCharacter(done.text, range.from)) };
}

/** `p` and `P`: the register replaces the selection, which with `p` becomes the register. */
function putOver(vi: ViState, buffer: TextBuffer, range: Range, command: Command): ViResult {
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

function joinSelected(vi: ViState, buffer: TextBuffer, command: Command, range: Range): ViResult {
  const { from, to } = range;
  const lines = buffer.text.slice(from, to).split('\n').length;
  const joined = join(moveTo(buffer, from), Math.max(2, lines), command.name === 'J');
  return { vi: withChange(leaving(vi), buffer, command, range), buffer: joined };
}

function switchMode(vi: ViState, buffer: TextBuffer, name: string): ViResult {
  const mode = name === 'v' ? 'visual' : 'visual-line';
  return vi.mode === mode ? leaveVisual(vi, buffer) : { vi: { ...vi, mode }, buffer };
}

function other(vi: ViState, buffer: TextBuffer, command: Command, selected: Selected): ViResult {
  const { name } = command;
  const { range, lines } = selected;
  const operator = operators.get(name);
  if (operator !== undefined) return operate(vi, buffer, command, operator, selected);
  switch (name) {
    case 'I':
    case 'A':
      return insertBeside(vi, buffer, command, range);
    case 'r':
      return replaceWith(vi, buffer, command, range);
    case 'p':
    case 'P':
      return putOver(vi, buffer, range, command);
    case 'J':
    case 'gJ':
      return joinSelected(vi, buffer, command, lines);
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

/** Selects an object, or more text if several characters are selected. */
function select(vi: ViState, buffer: TextBuffer, { name, count = 1 }: Command): ViResult {
  const { text, cursor } = buffer;
  const isAtStart = cursor < vi.anchor;
  const selected = name.endsWith('p')
    ? selectionOf(vi, buffer)
    : selectionOf({ ...vi, mode: 'visual' }, buffer);
  const range =
    cursor === vi.anchor
      ? objectRange(text, cursor, name, count)
      : extended(text, selected, isAtStart, name, count);
  if (range === undefined || (range.from === range.to && !range.isLinewise)) return { vi, buffer };
  const mode = range.isLinewise ? 'visual-line' : 'visual';
  if (isAtStart && range.to === selected.to) {
    return { vi: { ...vi, mode }, buffer: moveTo(buffer, range.from) };
  }
  const last = range.isLinewise ? lineStart(text, range.to) : onCharacter(text, range.to - 1);
  return { vi: { ...vi, mode, anchor: range.from }, buffer: moveTo(buffer, last) };
}

function move(vi: ViState, buffer: TextBuffer, command: Command): ViResult {
  const moved = motionOf(vi, buffer, command);
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
export function runVisual(vi: ViState, buffer: TextBuffer, command: Command): ViResult {
  if (/^[ia].$/.test(command.name)) return select(vi, buffer, command);
  if (Object.hasOwn(motions, command.name)) return move(vi, buffer, command);
  return other(vi, buffer, command, selectedText(vi, buffer));
}

/** `.` after a change of a selection: as much text from the caret as was selected then. */
export function repeatVisual(vi: ViState, buffer: TextBuffer, extent: Extent): ViResult {
  if (vi.change === undefined) return { vi, buffer };
  return other(vi, buffer, vi.change.command, textOfExtent(buffer, extent));
}
