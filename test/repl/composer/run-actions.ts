import { editActions, type EditAction } from '../../../src/repl/composer/edit-actions.ts';
import type { TextBuffer } from '../../../src/repl/composer/text-buffer.ts';

export const longPaste = Array.from({ length: 123 }, (_, index) => `line ${index + 1}`).join('\n');

export function run(buffer: TextBuffer, ...actions: EditAction[]): TextBuffer {
  return actions.reduce((current, action) => editActions[action](current), buffer);
}
