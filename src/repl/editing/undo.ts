import type { TextBuffer } from './text-buffer.ts';

/** Returns the same buffer if there is nothing to undo. */
export function undo(buffer: TextBuffer): TextBuffer {
  const edit = buffer.undoStack.at(-1);
  if (edit === undefined) return buffer;
  return {
    ...buffer,
    text: spliced(buffer.text, edit.at, edit.inserted, edit.removed),
    cursor: edit.cursor,
    undoStack: buffer.undoStack.slice(0, -1),
    redoStack: [...buffer.redoStack, { ...edit, cursor: buffer.cursor }],
    preferredColumn: undefined,
    lastEdit: undefined,
  };
}

/** Returns the same buffer if there is nothing to redo. */
export function redo(buffer: TextBuffer): TextBuffer {
  const edit = buffer.redoStack.at(-1);
  if (edit === undefined) return buffer;
  return {
    ...buffer,
    text: spliced(buffer.text, edit.at, edit.removed, edit.inserted),
    cursor: edit.cursor,
    undoStack: [...buffer.undoStack, { ...edit, cursor: buffer.cursor }],
    redoStack: buffer.redoStack.slice(0, -1),
    preferredColumn: undefined,
    lastEdit: undefined,
  };
}

function spliced(text: string, at: number, present: string, wanted: string): string {
  return text.slice(0, at) + wanted + text.slice(at + present.length);
}
