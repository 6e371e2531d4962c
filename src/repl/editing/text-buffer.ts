import { boundaryFrom } from './grapheme-boundary.ts';
import { cleanText, contentOf, isLongPaste, isStandIn, registerPaste } from './keys/paste.ts';
import type { Fragment, Paste } from './keys/paste.ts';
import { joinEdit } from './undo-stack.ts';
import type { Edit } from './undo-stack.ts';

/** A text that can be put aside and taken up again. */
export interface Draft extends Fragment {
  /** UTF-16 offset of the caret, always between whole characters. */
  readonly cursor: number;
}

/** What the last edit was, where the next one may go on with it. */
export type LastEdit =
  | { readonly kind: 'insert' | 'remove' | 'kill' }
  | { readonly kind: 'yank'; readonly from: number; readonly index: number };

/** The composer's text. Immutable: every function that edits returns another one. */
export interface TextBuffer extends Draft {
  readonly undoStack: readonly Edit[];
  readonly redoStack: readonly Edit[];
  /** Killed texts, newest first. */
  readonly killRing: readonly Fragment[];
  /** Pastes shown as markers so far; the last one's number. */
  readonly pasteCount: number;
  /** Column that vertical moves try to keep; undefined after any other action. */
  readonly preferredColumn: number | undefined;
  readonly lastEdit: LastEdit | undefined;
}

/** A draft of plain text, the caret at its end. */
export function draftFrom(text: string): Draft {
  const clean = cleanText(text);
  return { text: clean, cursor: clean.length, pastes: new Map() };
}

export function createBuffer(text = ''): TextBuffer {
  return {
    ...draftFrom(text),
    undoStack: [],
    redoStack: [],
    killRing: [],
    pasteCount: 0,
    preferredColumn: undefined,
    lastEdit: undefined,
  };
}

export function draftOf({ text, cursor, pastes }: TextBuffer): Draft {
  return { text, cursor, pastes };
}

/** The buffer with another draft in it: nothing to undo, the kill ring as it was, further pastes counted on. */
export function withDraft(buffer: TextBuffer, { text, cursor, pastes }: Draft): TextBuffer {
  const numbers = Array.from(pastes.values(), ({ number }) => number);
  const pasteCount = Math.max(buffer.pasteCount, ...numbers);
  return { ...settle(buffer), text, cursor, pastes, pasteCount, undoStack: [], redoStack: [] };
}

/** The buffer emptied, as after sending. */
export function clearBuffer(buffer: TextBuffer): TextBuffer {
  return withDraft(buffer, draftFrom(''));
}

export function isEmpty(buffer: Draft): boolean {
  return buffer.text === '';
}

/** The buffer with nothing that the next edit could go on with. */
export function settle(buffer: TextBuffer): TextBuffer {
  return { ...buffer, preferredColumn: undefined, lastEdit: undefined };
}

export function moveTo(buffer: TextBuffer, offset: number): TextBuffer {
  return { ...settle(buffer), cursor: boundaryFrom(buffer.text, offset) };
}

/**
 * Puts a text in place of a range and the caret after it. The text may hold stand-ins of the buffer's pastes;
 * the ends of the range lie between whole characters.
 */
export function replaceRange(
  buffer: TextBuffer,
  from: number,
  to: number,
  inserted: string,
  lastEdit?: LastEdit,
): TextBuffer {
  const removed = buffer.text.slice(from, to);
  if (removed === '' && inserted === '') return settle(buffer);
  const text = buffer.text.slice(0, from) + inserted + buffer.text.slice(to);
  const edit: Edit = { at: from, removed, inserted, cursor: buffer.cursor };
  const goesOn = lastEdit !== undefined && lastEdit.kind === buffer.lastEdit?.kind;
  return {
    ...buffer,
    text,
    cursor: boundaryFrom(text, from + inserted.length),
    undoStack: joinEdit(buffer.undoStack, edit, goesOn),
    redoStack: [],
    preferredColumn: undefined,
    lastEdit,
  };
}

/** Types a text at the caret; words typed one after the other are undone one by one. */
export function insert(buffer: TextBuffer, text: string): TextBuffer {
  const { cursor } = buffer;
  return replaceRange(buffer, cursor, cursor, cleanText(text), { kind: 'insert' });
}

/** Pastes a text at the caret: a long one as a marker that counts as one character. */
export function insertPaste(buffer: TextBuffer, text: string): TextBuffer {
  const { cursor } = buffer;
  const clean = cleanText(text);
  const number = buffer.pasteCount + 1;
  const registered = isLongPaste(clean)
    ? registerPaste(buffer.pastes, { number, text: clean })
    : undefined;
  if (registered === undefined) return replaceRange(buffer, cursor, cursor, clean);
  const { standIn, pastes } = registered;
  return replaceRange({ ...buffer, pastes, pasteCount: number }, cursor, cursor, standIn);
}

/** Where the paste marker at the caret stands: the one before it, else the one after it. */
function markerAt({ text, cursor }: Draft): number | undefined {
  return [cursor - 1, cursor].find((at) => isStandInAt(text, at));
}

function isStandInAt(text: string, at: number): boolean {
  const pair = /^[\ud800-\udbff][\udc00-\udfff]$/;
  return isStandIn(text.charAt(at)) && !pair.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** The paste whose marker the caret touches. */
export function pasteAtCursor(buffer: Draft): Paste | undefined {
  const at = markerAt(buffer);
  return at === undefined ? undefined : buffer.pastes.get(buffer.text.charAt(at));
}

/** The paste at the caret as text that can be read and edited; undo brings the marker back. */
export function expandPaste(buffer: TextBuffer): TextBuffer {
  const at = markerAt(buffer);
  const paste = pasteAtCursor(buffer);
  if (at === undefined || paste === undefined) return buffer;
  return replaceRange(buffer, at, at + 1, paste.text);
}

/** Another text in place of all, in one step that can be undone, as an external editor returns it. */
export function replaceContent(buffer: TextBuffer, text: string): TextBuffer {
  const clean = cleanText(text);
  if (clean === contentOf(buffer)) return settle(buffer);
  return replaceRange(buffer, 0, buffer.text.length, clean);
}
