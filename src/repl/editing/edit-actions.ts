import { previousBoundary } from './grapheme-boundary.ts';
import { move } from './motion.ts';
import { kill, remove, transpose, yank, yankPop } from './removal.ts';
import { expandPaste, insert, replaceRange } from './text-buffer.ts';
import type { TextBuffer } from './text-buffer.ts';
import { redo, undo } from './undo.ts';

/** Actions on the buffer alone, by the names that key bindings use. */
export const editActions = {
  'move-left': (buffer) => move(buffer, 'left'),
  'move-right': (buffer) => move(buffer, 'right'),
  'move-word-left': (buffer) => move(buffer, 'word-left'),
  'move-word-right': (buffer) => move(buffer, 'word-right'),
  'move-line-start': (buffer) => move(buffer, 'line-start'),
  'move-line-end': (buffer) => move(buffer, 'line-end'),
  'move-text-start': (buffer) => move(buffer, 'text-start'),
  'move-text-end': (buffer) => move(buffer, 'text-end'),
  'delete-left': (buffer) => remove(buffer, 'left'),
  'delete-right': (buffer) => remove(buffer, 'right'),
  'kill-word-left': (buffer) => kill(buffer, 'word-left'),
  'kill-word-right': (buffer) => kill(buffer, 'word-right'),
  'kill-blank-word-left': (buffer) => kill(buffer, 'blank-word-left'),
  'kill-line-start': (buffer) => kill(buffer, 'line-start'),
  'kill-line-end': (buffer) => kill(buffer, 'line-end'),
  yank,
  'yank-pop': yankPop,
  undo,
  redo,
  transpose,
  'new-line': (buffer) => insert(buffer, '\n'),
  'expand-paste': expandPaste,
} as const satisfies Record<string, (buffer: TextBuffer) => TextBuffer>;

export type EditAction = keyof typeof editActions;

export function isEditAction(action: string): action is EditAction {
  return Object.hasOwn(editActions, action);
}

/** For Enter: turns a backslash before the caret into a line end; undefined if there is none. */
export function breakAtBackslash(buffer: TextBuffer): TextBuffer | undefined {
  const start = previousBoundary(buffer.text, buffer.cursor);
  if (buffer.text.slice(start, buffer.cursor) !== '\\') return undefined;
  return replaceRange(buffer, start, buffer.cursor, '\n');
}
