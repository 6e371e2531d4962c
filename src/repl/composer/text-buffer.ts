import { boundaryFrom, nextBoundary, previousBoundary } from './grapheme-boundary.ts';
import { normalizeText, contentOf, isLongPaste, registerPaste, type MarkedText } from './paste.ts';

export interface Draft extends MarkedText {
  /** UTF-16 offset of the caret, always on a character boundary. */
  readonly cursor: number;
}

/** What undo returns to: the text and the caret before an edit at offset `at`. */
interface UndoStep {
  readonly text: string;
  readonly cursor: number;
  readonly at: number;
}

/** The kind of the last edit, if the next one can be joined with it. */
export type LastEdit =
  | { readonly kind: 'insert' | 'remove' | 'kill' }
  | { readonly kind: 'yank'; readonly from: number; readonly index: number };

/** The composer's text. Immutable: every edit returns a new buffer. */
export interface TextBuffer extends Draft {
  readonly undoStack: readonly UndoStep[];
  readonly redoStack: readonly UndoStep[];
  /** Killed texts, newest first. */
  readonly killRing: readonly MarkedText[];
  /** Number of the last paste marker. */
  readonly pasteCount: number;
  /** Column that vertical moves keep; undefined after any other action. */
  readonly preferredColumn: number | undefined;
  readonly lastEdit: LastEdit | undefined;
}

/** A draft of plain text, with the caret at its end. */
export function draftFrom(text: string): Draft {
  const clean = normalizeText(text);
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

/** Replaces the draft: clears the undo stack, keeps the kill ring and the paste count. */
export function withDraft(buffer: TextBuffer, { text, cursor, pastes }: Draft): TextBuffer {
  const numbers = Array.from(pastes.values(), ({ number }) => number);
  const pasteCount = Math.max(buffer.pasteCount, ...numbers);
  return { ...endEdit(buffer), text, cursor, pastes, pasteCount, undoStack: [], redoStack: [] };
}

export function clearBuffer(buffer: TextBuffer): TextBuffer {
  return withDraft(buffer, draftFrom(''));
}

export function isEmpty(buffer: Draft): boolean {
  return buffer.text === '';
}

/** Ends the last edit: the next one is a separate undo step. */
export function endEdit(buffer: TextBuffer): TextBuffer {
  return { ...buffer, preferredColumn: undefined, lastEdit: undefined };
}

export function moveTo(buffer: TextBuffer, offset: number): TextBuffer {
  return { ...endEdit(buffer), cursor: boundaryFrom(buffer.text, offset) };
}

const maxUndoSteps = 500;
/** UTF-16 units of the texts of all steps: a very long text has fewer steps. */
const maxUndoUnits = 20_000_000;

/** The undo stack after an edit of this buffer at an offset. */
export function undoStackWith({ undoStack, text, cursor }: TextBuffer, at: number) {
  const most = Math.min(maxUndoSteps, Math.floor(maxUndoUnits / (text.length + 1)));
  return [...undoStack.slice(-Math.max(1, most - 1)), { text, cursor, at }];
}

/** The range starts and ends on character boundaries. The text may contain markers of the buffer's pastes. */
export function replaceRange(
  buffer: TextBuffer,
  from: number,
  to: number,
  inserted: string,
  lastEdit?: LastEdit,
): TextBuffer {
  if (from === to && inserted === '') return endEdit(buffer);
  const text = buffer.text.slice(0, from) + inserted + buffer.text.slice(to);
  // A move ends the last edit, so that this one is beside it.
  const startsWord = /^\S/.test(inserted) && /\s/.test(buffer.text.charAt(from - 1));
  const joinsLast =
    lastEdit !== undefined && lastEdit.kind === buffer.lastEdit?.kind && !startsWord;
  return {
    ...buffer,
    text,
    cursor: boundaryFrom(text, from + inserted.length),
    undoStack: joinsLast ? buffer.undoStack : undoStackWith(buffer, from),
    redoStack: [],
    preferredColumn: undefined,
    lastEdit,
  };
}

/** Types a text at the caret; consecutive calls are undone word by word. */
export function insert(buffer: TextBuffer, text: string): TextBuffer {
  const { cursor } = buffer;
  return replaceRange(buffer, cursor, cursor, normalizeText(text), { kind: 'insert' });
}

/** Pastes a text at the caret; a long one becomes a marker that counts as one character. */
export function insertPaste(buffer: TextBuffer, text: string): TextBuffer {
  const { cursor } = buffer;
  const clean = normalizeText(text);
  const number = buffer.pasteCount + 1;
  const registered = isLongPaste(clean)
    ? registerPaste(buffer.pastes, { number, text: clean })
    : undefined;
  if (registered === undefined) return replaceRange(buffer, cursor, cursor, clean);
  const { marker, pastes } = registered;
  return replaceRange({ ...buffer, pastes, pasteCount: number }, cursor, cursor, marker);
}

/** Replaces the paste marker before the caret, else after it, with its text; undo restores the marker. */
export function expandPaste(buffer: TextBuffer): TextBuffer {
  const { text, cursor, pastes } = buffer;
  for (const from of [previousBoundary(text, cursor), cursor]) {
    const to = nextBoundary(text, from);
    const paste = pastes.get(text.slice(from, to));
    if (paste !== undefined) return replaceRange(buffer, from, to, paste.text);
  }
  return buffer;
}

/** Replaces the whole text, as one undo step. */
export function replaceContent(buffer: TextBuffer, text: string): TextBuffer {
  const clean = normalizeText(text);
  if (clean === contentOf(buffer)) return endEdit(buffer);
  return replaceRange(buffer, 0, buffer.text.length, clean);
}
