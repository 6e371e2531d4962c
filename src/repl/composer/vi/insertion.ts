import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { undo } from '../edit-actions.ts';
import { mergePastes } from '../paste.ts';
import {
  endEdit,
  insert,
  joinEdit,
  moveTo,
  replaceRange,
  type TextBuffer,
} from '../text-buffer.ts';
import { isLineEnd, lineStart, repeatText } from './text.ts';
import type { Change, Command, Edited, Extent, Insertion, ViState } from './vi-state.ts';

/** All edits since `before` as one undo step. */
export function asOneEdit(before: TextBuffer, after: TextBuffer): TextBuffer {
  const [old, text] = [before.text, after.text];
  if (old === text) return { ...endEdit(after), undoStack: before.undoStack };
  const most = Math.min(old.length, text.length);
  let at = 0;
  while (at < most && old.charAt(at) === text.charAt(at)) at += 1;
  let same = 0;
  while (same < most - at && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  const edit = {
    at,
    removed: old.slice(at, old.length - same),
    inserted: text.slice(at, text.length - same),
    cursor: before.cursor,
  };
  return { ...endEdit(after), undoStack: joinEdit(before.undoStack, edit, false) };
}

/** Begins an insertion at the caret, for a command that changed `before`. */
export function beginInsertion(
  vi: ViState,
  command: Command,
  before: TextBuffer,
  buffer: TextBuffer,
  extent?: Extent,
): Edited {
  const isReplacing = command.name === 'R' && extent === undefined;
  const rest = buffer.text.length - buffer.cursor;
  const insertion: Insertion = { before, command, from: buffer.cursor, rest, extent };
  const mode = isReplacing ? 'replace' : 'insert';
  return { vi: { ...vi, mode, insertion, wantedColumn: undefined }, buffer: endEdit(buffer) };
}

/** A new insertion at the caret, after a jump or a change from elsewhere. */
export function restartInsertion(vi: ViState, buffer: TextBuffer): ViState {
  const name = vi.mode === 'replace' ? 'R' : 'i';
  const command: Command = { name, character: '', count: undefined };
  return beginInsertion(vi, command, endEdit(buffer), buffer).vi;
}

/** Whether the last key moved the caret out of the inserted text, or replaced the whole draft. */
export function leftInsertion({ before, from, rest }: Insertion, buffer: TextBuffer): boolean {
  const { text, cursor, undoStack } = buffer;
  const end = text.length - rest;
  const isReplaced = undoStack.length < before.undoStack.length || undoStack.length === 0;
  return (isReplaced && text !== before.text) || cursor < from || cursor !== end;
}

/** Types over the characters of the line; further ones are appended. */
function overwrite(buffer: TextBuffer, added: string): TextBuffer {
  const { text, cursor } = buffer;
  let end = cursor;
  for (const _ of added) end = isLineEnd(text, end) ? end : nextBoundary(text, end);
  return replaceRange(buffer, cursor, end, added);
}

/** What a count repeats: `o` and `O` repeat whole lines. */
function repeated({ name, operator, count = 1 }: Command, inserted: string): string {
  if (operator !== undefined) return '';
  return repeatText(/^[oO]$/.test(name) ? `\n${inserted}` : inserted, count - 1);
}

/** Esc: ends the insertion; the caret is on its last character. */
export function endInsertion(vi: ViState, buffer: TextBuffer): Edited {
  const { insertion, mode } = vi;
  let ended: Edited = { vi, buffer: endEdit(buffer) };
  if (insertion !== undefined) {
    const { command, before, extent, from, rest } = insertion;
    const { text, cursor, pastes } = buffer;
    // Undo steps may have been dropped or joined since, so only the text between two offsets counts.
    const end = mode === 'replace' ? cursor : text.length - rest;
    const inserted = text.slice(from, Math.max(from, end));
    const more = repeated(command, inserted);
    const whole =
      mode === 'replace'
        ? overwrite(buffer, more)
        : replaceRange(endEdit(buffer), cursor, cursor, more);
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

/** Ends the insertion of a repeated command with the text that was typed then. */
export function insertAgain({ vi, buffer }: Edited, { inserted, pastes }: Change): Edited {
  if (vi.insertion === undefined) return { vi, buffer };
  const { cursor } = buffer;
  const merged = mergePastes(buffer.pastes, { text: inserted, pastes: pastes ?? buffer.pastes });
  const next = { ...buffer, pastes: merged.pastes };
  const typed =
    vi.mode === 'replace'
      ? overwrite(next, merged.text)
      : replaceRange(next, cursor, cursor, merged.text);
  return endInsertion(vi, typed);
}

function withBuffer(vi: ViState, buffer: TextBuffer): Edited {
  const rest = buffer.text.length - buffer.cursor;
  return { vi: { ...vi, insertion: vi.insertion && { ...vi.insertion, rest } }, buffer };
}

/** Types text in replace mode. Each character is an undo step until the insertion ends. */
export function typeOver(vi: ViState, buffer: TextBuffer, text: string): Edited {
  return vi.insertion === undefined
    ? { vi, buffer: insert(buffer, text) }
    : withBuffer(vi, Array.from(text).reduce(overwrite, buffer));
}

/** Backspace in replace mode: the character before gets its old text back. */
export function undoTypedOver(vi: ViState, buffer: TextBuffer): Edited {
  const steps = vi.insertion?.before.undoStack.length ?? 0;
  if (buffer.undoStack.length > steps) return withBuffer(vi, undo(buffer));
  return { vi, buffer: moveTo(buffer, previousBoundary(buffer.text, buffer.cursor)) };
}
