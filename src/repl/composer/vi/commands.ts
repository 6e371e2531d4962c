import { graphemes } from '../../../terminal/text/width.ts';
import { redo, undo } from '../edit-actions.ts';
import { lineEnd, lineStart, nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import { asOneEdit, beginInsertion, endInsertion, insertAgain } from './insertion.ts';
import { afterMotion, motionOf, motions, wordEnd, type Moved } from './motions.ts';
import {
  applyOperator,
  insertionPlaces,
  join,
  motionRange,
  openLine,
  put,
  registerOf,
  replaceCharacters,
  toggleCase,
  wholeLines,
} from './operators.ts';
import { parseKeys, redoKey } from './parse-keys.ts';
import { objectRange } from './text-objects.ts';
import { columnAt, firstNonBlank, isLineEnd, lineStartFrom, onCharacter } from './text.ts';
import {
  isVisual,
  type Command,
  type Edited,
  type Operator,
  type Range,
  type ViState,
} from './vi-state.ts';

const requests: Readonly<Record<string, Edited['request']>> = {
  j: 'move-down',
  k: 'move-up',
  gj: 'move-down',
  gk: 'move-up',
  ZZ: 'exit',
  ZQ: 'exit',
};

function move(vi: ViState, buffer: TextBuffer, command: Command): Edited {
  const moved = motionOf(vi, buffer, command);
  if (moved === undefined) return { vi, buffer, request: requests[command.name] };
  const at = onCharacter(buffer.text, moved.offset);
  return { vi: afterMotion(vi, moved), buffer: moveTo(buffer, at) };
}

/** The text that an operator with its target covers, and where a yank or a change of case leaves the caret. */
function rangeOf(vi: ViState, buffer: TextBuffer, command: Command) {
  const { text, cursor } = buffer;
  const { name, count = 1, operator } = command;
  const { search } = vi;
  if (name === 'lines') {
    const last = lineStartFrom(text, cursor, count - 1);
    const isMissing = count > 1 && last === lineStart(text, cursor);
    return isMissing ? undefined : { range: wholeLines(text, cursor, last), start: cursor, search };
  }
  if (/^[ia].$/.test(name)) {
    const range = objectRange(text, cursor, name);
    return range && { range, start: range.from, search };
  }
  // `cw` on a word ends where the word ends.
  const isWordChanged = operator === 'c' && /^[wW]$/.test(name) && /\S/.test(text.charAt(cursor));
  const moved: Moved | undefined = isWordChanged
    ? { offset: wordEnd(text, cursor, count, name === 'W', true), span: 'inclusive' }
    : motionOf(vi, buffer, command);
  if (moved === undefined) return undefined;
  const range = motionRange(text, cursor, moved);
  const start = range.isLinewise ? Math.min(cursor, moved.offset) : range.from;
  return { range, start, search: moved.search ?? search };
}

/** Applies an operator. @param command what `.` repeats; undefined if it cannot be repeated */
function operateOn(
  vi: ViState,
  buffer: TextBuffer,
  operator: Operator,
  range: Range,
  start: number,
  command: Command | undefined,
): Edited {
  const done = applyOperator(buffer, operator, range, start);
  const next: ViState = { ...vi, register: done.register ?? vi.register, wantedColumn: undefined };
  if (operator === 'c') return beginInsertion(next, command, buffer, done.buffer);
  const change = operator === 'y' ? vi.change : command && { command };
  return { vi: { ...next, change }, buffer: done.buffer };
}

function operate(vi: ViState, buffer: TextBuffer, command: Command, operator: Operator): Edited {
  const covered = rangeOf(vi, buffer, command);
  if (covered === undefined) return { vi, buffer };
  const { range, start, search } = covered;
  return operateOn({ ...vi, search }, buffer, operator, range, start, command);
}

/** `u` and Ctrl+R: the caret is where the last change is. */
function revert(vi: ViState, buffer: TextBuffer, isUndo: boolean, count: number): Edited {
  let next = buffer;
  let at = buffer.cursor;
  for (let left = count; left > 0; left -= 1) {
    const reverted = isUndo ? undo(next) : redo(next);
    at = isUndo ? reverted.cursor : (next.redoStack.at(-1)?.at ?? at);
    next = reverted;
  }
  return { vi, buffer: moveTo(next, onCharacter(next.text, at)) };
}

const visualModes = { v: 'visual', V: 'visual-line' } as const;

function other(vi: ViState, buffer: TextBuffer, command: Command): Edited {
  const { name, character, count = 1 } = command;
  const apply = (next: TextBuffer): Edited => {
    if (next === buffer) return { vi, buffer };
    return { vi: { ...vi, wantedColumn: undefined, change: { command } }, buffer: next };
  };
  switch (name) {
    case 'p':
    case 'P':
      if (vi.register === undefined) return { vi, buffer };
      return apply(put(buffer, vi.register, name === 'p', count));
    case 'J':
      return apply(join(buffer, count));
    case 'r':
      return apply(replaceCharacters(buffer, character, count));
    case '~':
      return apply(toggleCase(buffer, count));
    case 'u':
    case redoKey:
      return revert(vi, buffer, name === 'u', count);
    case 'o':
    case 'O':
      return beginInsertion(vi, command, buffer, openLine(buffer, name === 'o'));
    case 'v':
    case 'V':
      return { vi: { ...vi, mode: visualModes[name], anchor: buffer.cursor }, buffer };
    default: {
      const place = insertionPlaces[name]?.(buffer.text, buffer.cursor) ?? buffer.cursor;
      const at = moveTo(buffer, place);
      return beginInsertion(vi, command, at, at);
    }
  }
}

/** Runs a command of normal mode, except `.`. */
function runCommand(vi: ViState, buffer: TextBuffer, command: Command): Edited {
  const { operator, name } = command;
  if (operator !== undefined) return operate(vi, buffer, command, operator);
  return Object.hasOwn(motions, name) ? move(vi, buffer, command) : other(vi, buffer, command);
}

/** `.`: the last change once more, as one undo step. Later repetitions keep its count. */
function repeatChange(vi: ViState, buffer: TextBuffer, count: number | undefined): Edited {
  const { change } = vi;
  if (change === undefined) return { vi, buffer };
  const command = { ...change.command, count: count ?? change.command.count };
  const done = insertAgain(runCommand(vi, buffer, command), change.inserted);
  const next = { ...done.vi, change: { ...change, command } };
  return { vi: next, buffer: asOneEdit(buffer, done.buffer) };
}

// Visual mode.

/** The selected text: from the anchor to the caret, including both characters. */
export function selectionOf(vi: ViState, { text, cursor }: TextBuffer): Range {
  const from = Math.min(vi.anchor, cursor);
  const last = Math.max(vi.anchor, cursor);
  if (vi.mode === 'visual-line') return wholeLines(text, from, last);
  return { from, to: last < text.length ? nextBoundary(text, last) : last, isLinewise: false };
}

const leaving = (vi: ViState): ViState => ({ ...vi, mode: 'normal', wantedColumn: undefined });

function leaveVisual(vi: ViState, buffer: TextBuffer): Edited {
  const at = onCharacter(buffer.text, buffer.cursor);
  return { vi: leaving(vi), buffer: moveTo(buffer, at) };
}

/** The operators by the names of their commands. */
const operators: ReadonlyMap<string, Operator> = new Map([
  ...Array.from('dx', (name) => [name, 'd'] as const),
  ...Array.from('cs', (name) => [name, 'c'] as const),
  ...(['y', '>', '<', 'g~', 'gu', 'gU'] as const).map((name) => [name, name] as const),
  ['~', 'g~'],
  ['u', 'gu'],
  ['U', 'gU'],
]);

/** `I` and `A`: before or after the selection. */
function insertBeside(vi: ViState, buffer: TextBuffer, isBefore: boolean): Edited {
  const { from, to, isLinewise } = selectionOf(vi, buffer);
  const endsLine = !isLinewise && to > from && buffer.text.charAt(to - 1) === '\n';
  const at = moveTo(buffer, isBefore ? from : to - Number(endsLine));
  const command = { name: isBefore ? 'i' : 'a', character: '', count: undefined };
  return beginInsertion(leaving(vi), command, buffer, at);
}

function replaceWith(vi: ViState, buffer: TextBuffer, character: string): Edited {
  const { from, to } = selectionOf(vi, buffer);
  const selected = [...graphemes(buffer.text.slice(from, to))];
  const replaced = selected.map((each) => (each === '\n' ? each : character));
  const done = moveTo(replaceRange(buffer, from, to, replaced.join('')), from);
  return { vi: { ...leaving(vi), change: undefined }, buffer: done };
}

/** `p` and `P`: the register replaces the selection, which with `p` becomes the register. */
function putOver(vi: ViState, buffer: TextBuffer, { name, count = 1 }: Command): Edited {
  const { register } = vi;
  if (register === undefined) return leaveVisual(vi, buffer);
  const range = selectionOf(vi, buffer);
  const { text: content, pastes } = mergePastes(buffer.pastes, register);
  const isSplit = register.isLinewise && !range.isLinewise;
  const separator = register.isLinewise ? '\n' : '';
  const whole = Array<string>(count).fill(content).join(separator);
  const text = isSplit ? `\n${whole}\n` : whole;
  const done = replaceRange({ ...buffer, pastes }, range.from, range.to, text);
  const isInLine = !range.isLinewise && !register.isLinewise && !whole.includes('\n');
  const start = isSplit ? range.from + 1 : range.from;
  const at = isInLine ? previousBoundary(done.text, range.from + text.length) : start;
  const caret = register.isLinewise ? firstNonBlank(done.text, at) : Math.max(range.from, at);
  const kept = name === 'P' ? register : registerOf(buffer, range);
  const next = { ...leaving(vi), register: kept };
  return { vi: next, buffer: moveTo(done, onCharacter(done.text, caret)) };
}

function changeSelection(vi: ViState, buffer: TextBuffer, command: Command): Edited {
  const { name } = command;
  const operator = operators.get(name);
  if (operator !== undefined) {
    const range = selectionOf(vi, buffer);
    return operateOn(leaving(vi), buffer, operator, range, range.from, undefined);
  }
  switch (name) {
    case 'I':
    case 'A':
      return insertBeside(vi, buffer, name === 'I');
    case 'r':
      return replaceWith(vi, buffer, command.character);
    case 'p':
    case 'P':
      return putOver(vi, buffer, command);
    case 'J': {
      const { from, to } = selectionOf({ ...vi, mode: 'visual-line' }, buffer);
      const count = buffer.text.slice(from, to).split('\n').length;
      return runCommand(leaving(vi), moveTo(buffer, from), { name, character: '', count });
    }
    case 'o':
    case 'O':
      return { vi: { ...vi, anchor: buffer.cursor }, buffer: moveTo(buffer, vi.anchor) };
    case 'v':
    case 'V': {
      const mode = visualModes[name];
      return vi.mode === mode ? leaveVisual(vi, buffer) : { vi: { ...vi, mode }, buffer };
    }
    default:
      return { vi, buffer };
  }
}

/** Selects the object at the caret. */
function select(vi: ViState, buffer: TextBuffer, { name }: Command): Edited {
  const { text, cursor } = buffer;
  const range = objectRange(text, cursor, name);
  if (range === undefined || (range.from === range.to && !range.isLinewise)) return { vi, buffer };
  const mode = range.isLinewise ? 'visual-line' : 'visual';
  const last = range.isLinewise ? lineStart(text, range.to) : onCharacter(text, range.to - 1);
  return { vi: { ...vi, mode, anchor: range.from }, buffer: moveTo(buffer, last) };
}

function extend(vi: ViState, buffer: TextBuffer, command: Command): Edited {
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
function runVisual(vi: ViState, buffer: TextBuffer, command: Command): Edited {
  if (/^[ia].$/.test(command.name)) return select(vi, buffer, command);
  if (Object.hasOwn(motions, command.name)) return extend(vi, buffer, command);
  return changeSelection(vi, buffer, command);
}

function run(vi: ViState, buffer: TextBuffer, command: Command): Edited {
  if (/^g[jk]$|^Z/.test(command.name)) return { vi, buffer, request: requests[command.name] };
  if (isVisual(vi)) return runVisual(vi, buffer, command);
  if (command.name === '.') return repeatChange(vi, buffer, command.count);
  return runCommand(vi, buffer, command);
}

/** A character typed in normal or visual mode. */
export function pressCharacter(vi: ViState, buffer: TextBuffer, character: string): Edited {
  const pending = [...vi.pending, character];
  const command = parseKeys(pending, isVisual(vi));
  if (command === 'incomplete') return { vi: { ...vi, pending }, buffer };
  const idle = { ...vi, pending: [] };
  return command === 'invalid' ? { vi: idle, buffer } : run(idle, buffer, command);
}

/** Esc: ends an insertion, a selection or an incomplete command; undefined if there is none. */
export function pressEscape(vi: ViState, buffer: TextBuffer): Edited | undefined {
  if (vi.mode === 'insert') return endInsertion(vi, buffer);
  if (vi.pending.length > 0) return { vi: { ...vi, pending: [] }, buffer };
  return isVisual(vi) ? leaveVisual(vi, buffer) : undefined;
}

/** In normal mode, the caret is on a character. */
export function settled(vi: ViState, buffer: TextBuffer): TextBuffer {
  const { text, cursor } = buffer;
  const isBeyond = vi.mode === 'normal' && isLineEnd(text, cursor);
  const at = isBeyond ? onCharacter(text, cursor) : cursor;
  return at === cursor ? buffer : moveTo(buffer, at);
}
