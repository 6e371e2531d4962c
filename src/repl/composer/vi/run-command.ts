import { redo, undo } from '../edit-actions.ts';
import { mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import { insertionOffset, join, openLine, put, replaceCharacters, toggleCase } from './changes.ts';
import { asOneEdit, beginInsertion, endInsertion, overwrite, type Edited } from './insertion.ts';
import { firstNonBlank, lineStart, lineStartFrom, onCharacter } from './lines.ts';
import { motions, type Moved } from './motions.ts';
import { applyOperator, motionRange, wholeLines, widened } from './operators.ts';
import type { Command, Target } from './parse-keys.ts';
import { objectRange, type Range } from './text-objects.ts';
import type { Change, ViState } from './vi-state.ts';
import { kindAt, wordEnd } from './words.ts';

/** What natter does besides editing: the history beyond the first and last line, the exit. */
export type ViRequest = 'history-older' | 'history-newer' | 'row-up' | 'row-down' | 'exit';

export interface Ran extends Edited {
  readonly request?: ViRequest;
}

type Move = Extract<Command, { kind: 'move' }>;
type Operate = Extract<Command, { kind: 'operate' }>;
type Other = Extract<Command, { kind: 'other' }>;

export function motionOf(
  vi: ViState,
  { text, cursor }: TextBuffer,
  { name, character }: Target,
  count: number | undefined,
  isOperated: boolean,
): Moved | undefined {
  const { search, wantedColumn } = vi;
  const context = { text, cursor, count, character, search, wantedColumn, isOperated };
  return motions[name]?.(context);
}

/** The state after a motion: it keeps the column and the searched character. */
export function afterMotion(vi: ViState, { wantedColumn, search = vi.search }: Moved): ViState {
  return { ...vi, wantedColumn, search };
}

function move(vi: ViState, buffer: TextBuffer, { target, count }: Move): Ran {
  const moved = motionOf(vi, buffer, target, count, false);
  if (moved === undefined) {
    const requests: Readonly<Record<string, ViRequest>> = {
      j: 'history-newer',
      k: 'history-older',
    };
    const request = requests[target.name];
    return { vi, buffer, ...(request !== undefined && { request }) };
  }
  const at = onCharacter(buffer.text, moved.offset);
  return { vi: afterMotion(vi, moved), buffer: moveTo(buffer, at) };
}

/** `cw` on a word ends where the word ends. */
function changedWord({ text, cursor }: TextBuffer, { target, count }: Operate): Moved {
  const isBig = target.name === 'W';
  let offset = wordEnd(text, cursor, isBig, true);
  for (let left = count ?? 1; left > 1; left -= 1) offset = wordEnd(text, offset, isBig, false);
  return { offset, span: 'inclusive' };
}

interface Covered {
  readonly range: Range;
  readonly moved?: Moved;
}

function rangeOf(vi: ViState, buffer: TextBuffer, command: Operate): Covered | undefined {
  const { text, cursor } = buffer;
  const { target, count, operator } = command;
  if (target.kind === 'lines') {
    const last = lineStartFrom(text, cursor, (count ?? 1) - 1);
    const isMissing = (count ?? 1) > 1 && last === lineStart(text, cursor);
    return isMissing ? undefined : { range: wholeLines(text, cursor, last) };
  }
  if (target.kind === 'object') {
    const range = objectRange(text, cursor, target.name, count);
    return range && { range: operator === 'd' ? widened(text, range) : range };
  }
  const isWord = target.name === 'w' || target.name === 'W';
  const isChangedWord = operator === 'c' && isWord && kindAt(text, cursor, false) !== 0;
  const moved = isChangedWord
    ? changedWord(buffer, command)
    : motionOf(vi, buffer, target, count, true);
  if (moved === undefined) return undefined;
  const range = motionRange(text, cursor, moved);
  return { range: operator === 'd' ? widened(text, range) : range, moved };
}

/** Where a yank or a change of case leaves the caret. */
function startOf(
  { text, cursor }: TextBuffer,
  { operator, target, count = 1 }: Operate,
  { range, moved }: Covered,
): number {
  if (!range.isLinewise) return range.from;
  if (moved !== undefined) return Math.min(cursor, moved.offset);
  if (target.kind !== 'lines') return range.from;
  const isKept = operator === 'y' || count > 1;
  return isKept ? cursor : Math.min(cursor, firstNonBlank(text, cursor));
}

function operate(vi: ViState, buffer: TextBuffer, command: Operate): Ran {
  const covered = rangeOf(vi, buffer, command);
  if (covered === undefined) return { vi, buffer };
  const { operator } = command;
  const done = applyOperator(buffer, operator, covered.range, startOf(buffer, command, covered));
  const { register = vi.register } = done;
  const search = covered.moved?.search ?? vi.search;
  const next: ViState = { ...vi, register, search, wantedColumn: undefined };
  if (done.inserts === true) return beginInsertion(next, command, buffer, done.buffer);
  const change = operator === 'y' ? vi.change : { command, inserted: '' };
  return { vi: { ...next, change }, buffer: done.buffer };
}

function changed(vi: ViState, command: Command, before: TextBuffer, buffer: TextBuffer): Ran {
  if (buffer === before) return { vi, buffer };
  return { vi: { ...vi, wantedColumn: undefined, change: { command, inserted: '' } }, buffer };
}

function undoTimes(vi: ViState, buffer: TextBuffer, count: number): Ran {
  let next = buffer;
  for (let left = count; left > 0; left -= 1) next = undo(next);
  return { vi, buffer: moveTo(next, onCharacter(next.text, next.cursor)) };
}

/** The caret is where the last change is. */
function redoTimes(vi: ViState, buffer: TextBuffer, count: number): Ran {
  let next = buffer;
  let at = buffer.cursor;
  for (let left = count; left > 0; left -= 1) {
    at = next.redoStack.at(-1)?.at ?? at;
    next = redo(next);
  }
  return { vi, buffer: moveTo(next, onCharacter(next.text, Math.min(at, next.text.length))) };
}

function other(vi: ViState, buffer: TextBuffer, command: Other): Ran {
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
export function runCommand(vi: ViState, buffer: TextBuffer, command: Command): Ran {
  if (command.kind === 'move') return move(vi, buffer, command);
  return command.kind === 'operate' ? operate(vi, buffer, command) : other(vi, buffer, command);
}

/** The command for `.` with its own count, which later repetitions keep. */
function withCount(command: Command, count: number | undefined): Command {
  return count === undefined ? command : { ...command, count };
}

/** Ends the insertion of a repeated command with the text that was typed then. */
export function insertAgain({ vi, buffer }: Edited, { inserted, pastes }: Change): Edited {
  const { insertion, mode } = vi;
  if (insertion === undefined) return { vi, buffer };
  const { cursor } = buffer;
  const merged = mergePastes(buffer.pastes, { text: inserted, pastes: pastes ?? buffer.pastes });
  const next = { ...buffer, pastes: merged.pastes };
  const typed =
    mode === 'replace'
      ? overwrite(next, merged.text).buffer
      : replaceRange(next, cursor, cursor, merged.text);
  return endInsertion(vi, typed);
}

/** `.`: the last change of normal mode once more, as one undo step. */
export function repeatChange(vi: ViState, buffer: TextBuffer, count: number | undefined): Edited {
  const { change } = vi;
  if (change === undefined) return { vi, buffer };
  const command = withCount(change.command, count);
  const ran = runCommand(vi, buffer, command);
  const done = insertAgain(ran, change);
  const next = { ...done.vi, change: { ...change, command } };
  return { vi: next, buffer: asOneEdit(buffer, done.buffer) };
}
