import { redo, undo } from '../edit-actions.ts';
import { moveTo, type TextBuffer } from '../text-buffer.ts';
import { asOneEdit, beginInsertion, endInsertion, insertAgain } from './insertion.ts';
import { afterMotion, motionOf, motions, wordEnd, type Moved } from './motions.ts';
import {
  applyOperator,
  insertionOffset,
  join,
  motionRange,
  openLine,
  put,
  replaceCharacters,
  toggleCase,
  wholeLines,
  widened,
} from './operators.ts';
import { parseKeys } from './parse-keys.ts';
import { firstNonBlank, isLineEnd, lineStart, lineStartFrom, onCharacter } from './text.ts';
import { objectRange } from './text-objects.ts';
import {
  isInserting,
  isVisual,
  type Command,
  type Edited,
  type Operator,
  type Range,
  type ViResult,
  type ViState,
} from './vi-state.ts';
import { leaveVisual, repeatVisual, runVisual } from './visual.ts';

const requests = { j: 'history-newer', k: 'history-older' } as const;

function move(vi: ViState, buffer: TextBuffer, command: Command): ViResult {
  const moved = motionOf(vi, buffer, command);
  const { name } = command;
  if (moved === undefined) {
    return { vi, buffer, request: name === 'j' || name === 'k' ? requests[name] : undefined };
  }
  const at = onCharacter(buffer.text, moved.offset);
  return { vi: afterMotion(vi, moved), buffer: moveTo(buffer, at) };
}

interface Covered {
  readonly range: Range;
  readonly moved?: Moved;
}

/** The text that an operator with its target covers. */
function rangeOf(vi: ViState, buffer: TextBuffer, command: Command): Covered | undefined {
  const { text, cursor } = buffer;
  const { name, count = 1, operator } = command;
  const widen = (range: Range) => (operator === 'd' ? widened(text, range) : range);
  if (name === 'lines') {
    const last = lineStartFrom(text, cursor, count - 1);
    const isMissing = count > 1 && last === lineStart(text, cursor);
    return isMissing ? undefined : { range: wholeLines(text, cursor, last) };
  }
  if (/^[ia].$/.test(name)) {
    const range = objectRange(text, cursor, name, count);
    return range && { range: widen(range) };
  }
  // `cw` on a word ends where the word ends.
  const isWordChanged = operator === 'c' && /^[wW]$/.test(name) && /\S/.test(text.charAt(cursor));
  const moved = isWordChanged
    ? {
        offset: wordEnd(text, cursor, count, name === 'W', true),
        span: 'inclusive' as const,
      }
    : motionOf(vi, buffer, command);
  return moved && { range: widen(motionRange(text, cursor, moved)), moved };
}

/** Where a yank or a change of case leaves the caret. */
function startOf(
  { text, cursor }: TextBuffer,
  { operator, name, count = 1 }: Command,
  { range, moved }: Covered,
): number {
  if (!range.isLinewise) return range.from;
  if (moved !== undefined) return Math.min(cursor, moved.offset);
  if (name !== 'lines') return range.from;
  const isKept = operator === 'y' || count > 1;
  return isKept ? cursor : Math.min(cursor, firstNonBlank(text, cursor));
}

function operate(vi: ViState, buffer: TextBuffer, command: Command, operator: Operator): ViResult {
  const covered = rangeOf(vi, buffer, command);
  if (covered === undefined) return { vi, buffer };
  const done = applyOperator(buffer, operator, covered.range, startOf(buffer, command, covered));
  const { register = vi.register } = done;
  const search = covered.moved?.search ?? vi.search;
  const next: ViState = { ...vi, register, search, wantedColumn: undefined };
  if (done.inserts === true) return beginInsertion(next, command, buffer, done.buffer);
  const change = operator === 'y' ? vi.change : { command, inserted: '' };
  return { vi: { ...next, change }, buffer: done.buffer };
}

function changed(vi: ViState, command: Command, before: TextBuffer, buffer: TextBuffer): ViResult {
  if (buffer === before) return { vi, buffer };
  return { vi: { ...vi, wantedColumn: undefined, change: { command, inserted: '' } }, buffer };
}

function undoTimes(vi: ViState, buffer: TextBuffer, count: number): ViResult {
  let next = buffer;
  for (let left = count; left > 0; left -= 1) next = undo(next);
  return { vi, buffer: moveTo(next, onCharacter(next.text, next.cursor)) };
}

/** The caret is where the last change is. */
function redoTimes(vi: ViState, buffer: TextBuffer, count: number): ViResult {
  let next = buffer;
  let at = buffer.cursor;
  for (let left = count; left > 0; left -= 1) {
    at = next.redoStack.at(-1)?.at ?? at;
    next = redo(next);
  }
  return { vi, buffer: moveTo(next, onCharacter(next.text, Math.min(at, next.text.length))) };
}

function other(vi: ViState, buffer: TextBuffer, command: Command): ViResult {
  const { name, character, count = 1 } = command;
  const apply = (next: TextBuffer) => changed(vi, command, buffer, next);
  switch (name) {
    case 'p':
    case 'P':
      if (vi.register === undefined) return { vi, buffer };
      return apply(put(buffer, vi.register, name === 'p', count));
    case 'J':
    case 'gJ':
      return apply(join(buffer, count, name === 'J'));
    case 'r':
      return apply(replaceCharacters(buffer, character, count));
    case '~':
      return apply(toggleCase(buffer, count));
    case 'u':
      return undoTimes(vi, buffer, count);
    case 'redo':
      return redoTimes(vi, buffer, count);
    case 'o':
    case 'O':
      return beginInsertion(vi, command, buffer, openLine(buffer, name === 'o'));
    case 'v':
    case 'V':
      return {
        vi: { ...vi, mode: name === 'v' ? 'visual' : 'visual-line', anchor: buffer.cursor },
        buffer,
      };
    case 'gj':
    case 'gk':
      return { vi, buffer, request: name === 'gj' ? 'row-down' : 'row-up' };
    case 'ZZ':
    case 'ZQ':
      return { vi, buffer, request: 'exit' };
    default: {
      const at = moveTo(buffer, insertionOffset(buffer, name));
      return beginInsertion(vi, command, at, at);
    }
  }
}

/** Runs a command of normal mode, except `.`. */
function runCommand(vi: ViState, buffer: TextBuffer, command: Command): ViResult {
  const { operator, name } = command;
  if (operator !== undefined) return operate(vi, buffer, command, operator);
  return Object.hasOwn(motions, name) ? move(vi, buffer, command) : other(vi, buffer, command);
}

/** `.`: the last change of normal mode once more, as one undo step. Later repetitions keep its count. */
function repeatChange(vi: ViState, buffer: TextBuffer, count: number | undefined): Edited {
  const { change } = vi;
  if (change === undefined) return { vi, buffer };
  const command = { ...change.command, count: count ?? change.command.count };
  const done = insertAgain(runCommand(vi, buffer, command), change);
  const next = { ...done.vi, change: { ...change, command } };
  return { vi: next, buffer: asOneEdit(buffer, done.buffer) };
}

function repeatLast(vi: ViState, buffer: TextBuffer, count: number | undefined): ViResult {
  const { change } = vi;
  if (change?.extent === undefined) return repeatChange(vi, buffer, count);
  const begun = repeatVisual(vi, buffer, change.extent);
  const typed = insertAgain(begun, change);
  return { vi: { ...typed.vi, change }, buffer: asOneEdit(buffer, typed.buffer) };
}

function run(vi: ViState, buffer: TextBuffer, command: Command): ViResult {
  if (isVisual(vi)) return runVisual(vi, buffer, command);
  if (command.name === '.') return repeatLast(vi, buffer, command.count);
  return runCommand(vi, buffer, command);
}

/** A character typed in normal or visual mode. */
export function pressCharacter(vi: ViState, buffer: TextBuffer, character: string): ViResult {
  const pending = [...vi.pending, character];
  const command = parseKeys(pending, isVisual(vi));
  if (command === 'incomplete') return { vi: { ...vi, pending }, buffer };
  const idle = { ...vi, pending: [] };
  return command === 'invalid' ? { vi: idle, buffer } : run(idle, buffer, command);
}

/** Ctrl+R in normal mode. */
export function redoChange(vi: ViState, buffer: TextBuffer): ViResult {
  const counted = parseKeys([...vi.pending, 'u'], false);
  const count = typeof counted === 'string' ? undefined : counted.count;
  const command: Command = { name: 'redo', character: '', count };
  return runCommand({ ...vi, pending: [] }, buffer, command);
}

/** Esc: ends an insertion, a selection or an incomplete command; undefined if there is none. */
export function pressEscape(vi: ViState, buffer: TextBuffer): Edited | undefined {
  if (isInserting(vi)) return endInsertion(vi, buffer);
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
