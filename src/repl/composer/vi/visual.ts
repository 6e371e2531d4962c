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
import { withObject } from './select-objects.ts';
import type { Range } from './text-objects.ts';
import type { Extent, ViState } from './vi-state.ts';

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

/** For `.`. */
function withChange(vi: ViState, { text }: TextBuffer, command: Other, range: Range): ViState {
  return { ...vi, change: { command, inserted: '', extent: extentOf(text, range) } };
}

function beginTyping(
  vi: ViState,
  before: TextBuffer,
  command: Other,
  range: Range,
  buffer: TextBuffer,
): Ran {
  const once: Command = { ...command, count: undefined };
  return beginInsertion(vi, once, before, buffer, extentOf(before.text, range));
}

function operate(
  vi: ViState,
  buffer: TextBuffer,
  command: Other,
  operator: Operator,
  selected: Selected,
): Ran {
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
function insertBeside(vi: ViState, buffer: TextBuffer, command: Other, range: Range): Ran {
  const { from, to, isLinewise } = range;
  const endsLine = !isLinewise && to > from && buffer.text.charAt(to - 1) === '\n';
  const end = endsLine ? to - 1 : to;
  const at = moveTo(buffer, command.name === 'I' ? from : end);
  return beginTyping(leaving(vi), buffer, command, range, at);
}

function replaceWith(vi: ViState, buffer: TextBuffer, command: Other, range: Range): Ran {
  const { character } = command;
  const selected = buffer.text.slice(range.from, range.to);
  const replaced = Array.from(graphemes(selected), (each) => (each === '\n' ? each : character));
  const done = replaceRange(buffer, range.from, range.to, replaced.join(''));
  const next = withChange(leaving(vi), buffer, command, range);
  return { vi: next, buffer: moveTo(done, onCharacter(done.text, range.from)) };
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

function joinSelected(vi: ViState, buffer: TextBuffer, command: Other, range: Range): Ran {
  const { from, to } = range;
  const lines = buffer.text.slice(from, to).split('\n').length;
  const joined = join(moveTo(buffer, from), Math.max(2, lines), command.name === 'J');
  return { vi: withChange(leaving(vi), buffer, command, range), buffer: joined };
}

function switchMode(vi: ViState, buffer: TextBuffer, name: string): Ran {
  const mode = name === 'v' ? 'visual' : 'visual-line';
  return vi.mode === mode ? leaveVisual(vi, buffer) : { vi: { ...vi, mode }, buffer };
}

function other(vi: ViState, buffer: TextBuffer, command: Other, selected: Selected): Ran {
  const { name } = command;
  const { range, lines } = selected;
  const operator = operatorNames[name];
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

function select(vi: ViState, buffer: TextBuffer, name: string, count = 1): Ran {
  const { text, cursor } = buffer;
  const { anchor } = vi;
  const { range: lines } = selectedText(vi, buffer);
  const isAtStart = cursor < anchor;
  const characters = selectionOf({ ...vi, mode: 'visual' }, buffer);
  const covered = name.endsWith('p') ? lines : characters;
  const selected = { ...covered, isAtStart, isSingle: cursor === anchor };
  const range = withObject(text, selected, name, count);
  if (range === undefined || (range.from === range.to && !range.isLinewise)) return { vi, buffer };
  const mode = range.isLinewise ? 'visual-line' : 'visual';
  if (isAtStart && range.to === covered.to) {
    return { vi: { ...vi, mode }, buffer: moveTo(buffer, range.from) };
  }
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
  return other(vi, buffer, command, selectedText(vi, buffer));
}

/** `.` after a change of a selection. */
export function repeatVisual(vi: ViState, buffer: TextBuffer, extent: Extent): Ran {
  const { change } = vi;
  if (change?.command.kind !== 'other') return { vi, buffer };
  return other(vi, buffer, change.command, textOfExtent(buffer, extent));
}
