import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import {
  endEdit,
  insert,
  joinEdit,
  moveTo,
  replaceRange,
  type Edit,
  type TextBuffer,
} from '../text-buffer.ts';
import { isLineEnd, lineStart } from './lines.ts';
import type { Command } from './parse-keys.ts';
import { repeatText } from './repeat-text.ts';
import type { Change, Extent, Insertion, ViState } from './vi-state.ts';

/** A state and the buffer that belongs to it. */
export interface Edited {
  readonly vi: ViState;
  readonly buffer: TextBuffer;
}

function editBetween(before: TextBuffer, after: TextBuffer): Edit {
  const [old, text] = [before.text, after.text];
  const most = Math.min(old.length, text.length);
  let at = 0;
  while (at < most && old.charAt(at) === text.charAt(at)) at += 1;
  let same = 0;
  while (same < most - at && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  return {
    at,
    removed: old.slice(at, old.length - same),
    inserted: text.slice(at, text.length - same),
    cursor: before.cursor,
  };
}

/** All edits since `before` as one undo step. */
export function asOneEdit(before: TextBuffer, after: TextBuffer): TextBuffer {
  if (before.text === after.text) return { ...endEdit(after), undoStack: before.undoStack };
  const undoStack = joinEdit(before.undoStack, editBetween(before, after), false);
  return { ...endEdit(after), undoStack };
}

/** Begins an insertion at the caret, for a command that changed `before`. */
export function beginInsertion(
  vi: ViState,
  command: Command,
  before: TextBuffer,
  buffer: TextBuffer,
  extent?: Extent,
): Edited {
  const isReplacing = command.kind === 'other' && command.name === 'R';
  const insertion: Insertion = {
    before,
    command,
    from: buffer.cursor,
    rest: buffer.text.length - buffer.cursor,
    replaced: [],
    extent,
  };
  const mode = isReplacing ? 'replace' : 'insert';
  return { vi: { ...vi, mode, insertion, wantedColumn: undefined }, buffer: endEdit(buffer) };
}

/** A new insertion at the caret, after a jump or a change from elsewhere. */
export function restartInsertion(vi: ViState, buffer: TextBuffer): ViState {
  const command: Command = { kind: 'other', name: 'i', character: '', count: undefined };
  const { vi: next } = beginInsertion(vi, command, endEdit(buffer), buffer);
  return vi.mode === 'replace' ? { ...next, mode: 'replace' } : next;
}

/** Whether the last key moved the caret out of the inserted text, or replaced the whole draft. */
export function leftInsertion({ before, from, rest }: Insertion, buffer: TextBuffer): boolean {
  const { text, cursor, undoStack } = buffer;
  const end = text.length - rest;
  const isReplaced = undoStack.length < before.undoStack.length || undoStack.length === 0;
  return (isReplaced && text !== before.text) || cursor < from || cursor !== end;
}

/** Undo steps may have been dropped or joined since, so only the text between two offsets counts. */
function insertedText({ from, rest }: Insertion, { text }: TextBuffer): string {
  return text.slice(from, Math.max(from, text.length - rest));
}

/** What a count repeats: `o` and `O` repeat whole lines. */
function repeated(command: Command, inserted: string): string {
  const { count = 1 } = command;
  if (command.kind !== 'other') return '';
  const again = command.name === 'o' || command.name === 'O' ? `\n${inserted}` : inserted;
  return repeatText(again, count - 1);
}

function endReplacement(vi: ViState, insertion: Insertion, buffer: TextBuffer): Edited {
  const { command, from, before } = insertion;
  const typed = buffer.text.slice(from, buffer.cursor);
  const count = command.count ?? 1;
  const whole = overwrite(buffer, repeatText(typed, count - 1)).buffer;
  const change: Change = { command, inserted: typed, pastes: buffer.pastes };
  return { vi: { ...vi, change }, buffer: asOneEdit(before, whole) };
}

/** Esc: ends the insertion; the caret is on its last character. */
export function endInsertion(vi: ViState, buffer: TextBuffer): Edited {
  const { insertion, mode } = vi;
  let ended: Edited = { vi, buffer: endEdit(buffer) };
  if (insertion !== undefined && mode === 'replace') {
    ended = endReplacement(vi, insertion, buffer);
  } else if (insertion !== undefined) {
    const { command, before, extent } = insertion;
    const inserted = insertedText(insertion, buffer);
    const more = repeated(command, inserted);
    const { cursor, pastes } = buffer;
    const whole = more === '' ? buffer : replaceRange(endEdit(buffer), cursor, cursor, more);
    ended = {
      vi: { ...vi, change: { command, inserted, pastes, extent } },
      buffer: asOneEdit(before, whole),
    };
  }
  const { text, cursor } = ended.buffer;
  const at = cursor > lineStart(text, cursor) ? previousBoundary(text, cursor) : cursor;
  const next: ViState = { ...ended.vi, mode: 'normal', insertion: undefined, pending: [] };
  return { vi: next, buffer: moveTo(ended.buffer, at) };
}

/** Types over the characters of the line; further ones are appended. */
export function overwrite(
  buffer: TextBuffer,
  text: string,
): { readonly buffer: TextBuffer; readonly replaced: readonly string[] } {
  const { text: old, cursor } = buffer;
  let end = cursor;
  const replaced = Array.from(text, () => {
    const from = end;
    end = isLineEnd(old, from) ? from : nextBoundary(old, from);
    return old.slice(from, end);
  });
  return { buffer: replaceRange(buffer, cursor, end, text), replaced };
}

/** Text typed in replace mode. */
export function typeOver(vi: ViState, buffer: TextBuffer, text: string): Edited {
  const { insertion } = vi;
  if (insertion === undefined) return { vi, buffer: insert(buffer, text) };
  const typed = overwrite(buffer, text);
  const replaced = [...insertion.replaced, ...typed.replaced];
  const rest = typed.buffer.text.length - typed.buffer.cursor;
  return { vi: { ...vi, insertion: { ...insertion, replaced, rest } }, buffer: typed.buffer };
}

/** Backspace in replace mode: the character before gets its old text back. */
export function undoTypedOver(vi: ViState, buffer: TextBuffer): Edited {
  const { insertion } = vi;
  const last = insertion?.replaced.at(-1);
  const at = previousBoundary(buffer.text, buffer.cursor);
  if (insertion === undefined || last === undefined) return { vi, buffer: moveTo(buffer, at) };
  const restored = moveTo(replaceRange(buffer, at, buffer.cursor, last), at);
  const rest = restored.text.length - restored.cursor;
  const replaced = insertion.replaced.slice(0, -1);
  return { vi: { ...vi, insertion: { ...insertion, replaced, rest } }, buffer: restored };
}
