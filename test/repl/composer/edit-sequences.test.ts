import { describe, expect, test } from 'vitest';
import {
  editActions,
  redo,
  undo,
  type EditAction,
} from '../../../src/repl/composer/edit-actions.ts';
import { contentOf } from '../../../src/repl/composer/paste.ts';
import {
  createBuffer,
  insert,
  insertPaste,
  type TextBuffer,
} from '../../../src/repl/composer/text-buffer.ts';
import { fc } from '../../support/properties.ts';
import { longPaste, run } from './run-actions.ts';

function boundaries(text: string): number[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
  return [...Array.from(segments, ({ index }) => index), text.length];
}

describe('any sequence of edits', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('\u0301', '\u200D', '🇩', '👩', ' ', '\n', '日本', longPaste),
  );
  const step = fc.oneof(
    text.map((value) => (buffer: TextBuffer) => insert(buffer, value)),
    text.map((value) => (buffer: TextBuffer) => insertPaste(buffer, value)),
    fc
      .constantFrom(...(Object.keys(editActions) as EditAction[]))
      .map((action) => (buffer: TextBuffer) => run(buffer, action)),
  );

  test('keeps the caret on a character boundary', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let buffer = createBuffer();
        for (const apply of steps) {
          buffer = apply(buffer);
          expect(boundaries(buffer.text)).toContain(buffer.cursor);
        }
      }),
    );
  });

  test('can be undone to the start and redone to the end', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const edited = steps.reduce((buffer, apply) => apply(buffer), createBuffer());
        let newest = edited;
        while (newest.redoStack.length > 0) newest = redo(newest);
        let buffer = edited;
        while (buffer.undoStack.length > 0) buffer = undo(buffer);
        expect(buffer.text).toBe('');
        while (buffer.redoStack.length > 0) buffer = redo(buffer);
        expect(contentOf(buffer)).toBe(contentOf(newest));
      }),
    );
  });
});
