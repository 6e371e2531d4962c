import { lineStart, previousBoundary } from '../grapheme-boundary.ts';
import { mergePastes, type MarkedText } from '../paste.ts';
import { endEdit, moveTo, replaceRange, type TextBuffer, undoStackWith } from '../text-buffer.ts';
import type { Command, Edited, Insertion, ViState } from './vi-state.ts';

/** All edits since `before` as one undo step. */
export function asOneEdit(before: TextBuffer, after: TextBuffer): TextBuffer {
  const [old, text] = [before.text, after.text];
  if (old === text) return { ...endEdit(after), undoStack: before.undoStack };
  let at = 0;
  while (at < old.length && old.charAt(at) === text.charAt(at)) at += 1;
  return { ...endEdit(after), undoStack: undoStackWith(before, at) };
}

/** Begins an insertion at the caret, for a command that changed `before`. */
export function beginInsertion(
  vi: ViState,
  command: Command | undefined,
  before: TextBuffer,
  buffer: TextBuffer,
): Edited {
  const begun = endEdit(buffer);
  const insertion: Insertion = { before, begun, command };
  return { vi: { ...vi, mode: 'insert', insertion, wantedColumn: undefined }, buffer: begun };
}

/** A new insertion at the caret, after a change from elsewhere. */
export function restartInsertion(vi: ViState, buffer: TextBuffer): ViState {
  const command: Command = { name: 'i', character: '', count: undefined };
  return beginInsertion(vi, command, endEdit(buffer), buffer).vi;
}

/** The typed text; empty after an edit outside of it. */
function insertedText({ begun }: Insertion, { text }: TextBuffer): string {
  const from = begun.cursor;
  const rest = begun.text.slice(from);
  const isWhole = text.startsWith(begun.text.slice(0, from)) && text.endsWith(rest);
  return isWhole ? text.slice(from, Math.max(from, text.length - rest.length)) : '';
}

/** What a count repeats: `o` and `O` repeat whole lines, operators nothing. */
function repeated(command: Command | undefined, inserted: string): string {
  if (command === undefined || command.operator !== undefined) return '';
  const text = /^[oO]$/.test(command.name) ? `\n${inserted}` : inserted;
  return text.repeat((command.count ?? 1) - 1);
}

/** Esc: ends the insertion; the caret is on its last character. */
export function endInsertion(vi: ViState, buffer: TextBuffer): Edited {
  const { insertion } = vi;
  let ended: Edited = { vi, buffer: endEdit(buffer) };
  if (insertion !== undefined) {
    const { command, before } = insertion;
    const { cursor, pastes } = buffer;
    const text = insertedText(insertion, buffer);
    const whole = replaceRange(endEdit(buffer), cursor, cursor, repeated(command, text));
    const change = command && { command, inserted: { text, pastes } };
    ended = { vi: { ...vi, change }, buffer: asOneEdit(before, whole) };
  }
  const { text, cursor } = ended.buffer;
  const at = cursor > lineStart(text, cursor) ? previousBoundary(text, cursor) : cursor;
  const next: ViState = { ...ended.vi, mode: 'normal', insertion: undefined, pending: [] };
  return { vi: next, buffer: moveTo(ended.buffer, at) };
}

/** Ends the insertion of a repeated command with the text that was typed then. */
export function insertAgain({ vi, buffer }: Edited, inserted: MarkedText | undefined): Edited {
  if (vi.insertion === undefined || inserted === undefined) return { vi, buffer };
  const { text, pastes } = mergePastes(buffer.pastes, inserted);
  const { cursor } = buffer;
  return endInsertion(vi, replaceRange({ ...buffer, pastes }, cursor, cursor, text));
}
