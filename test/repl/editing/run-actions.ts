import { editActions } from '../../../src/repl/editing/edit-actions.ts';
import type { EditAction } from '../../../src/repl/editing/edit-actions.ts';
import type { TextBuffer } from '../../../src/repl/editing/text-buffer.ts';

export const longPaste = Array.from({ length: 123 }, (_, index) => `line ${index + 1}`).join('\n');

export function run(buffer: TextBuffer, ...actions: EditAction[]): TextBuffer {
  return actions.reduce((current, action) => editActions[action](current), buffer);
}
