import { describe, expect, test } from 'vitest';
import { contentOf } from '../../../src/repl/composer/paste.ts';
import {
  clearBuffer,
  createBuffer,
  draftOf,
  expandPaste,
  insert,
  insertPaste,
  moveTo,
  pasteAtCursor,
  withDraft,
} from '../../../src/repl/composer/text-buffer.ts';
import { undo } from '../../../src/repl/composer/edit-actions.ts';
import { processorTime } from '../../support/processor-time.ts';
import { longPaste, run } from './run-actions.ts';

describe('pastes', () => {
  test('are one character in the text and sent in full', () => {
    const buffer = insert(insertPaste(createBuffer('see: '), longPaste), ' thanks');
    expect(buffer.text.length).toBeLessThan(20);
    expect(contentOf(buffer)).toBe(`see: ${longPaste} thanks`);
  });

  test.each([
    ['five lines stay text', '1\n2\n3\n4\n5', false],
    ['five lines and a line end stay text', '1\n2\n3\n4\n5\n', false],
    ['six lines become a marker', '1\n2\n3\n4\n5\n6', true],
    ['500 characters stay text', 'x'.repeat(500), false],
    ['501 characters become a marker', 'x'.repeat(501), true],
  ])('%s', (_, text, isMarker) => {
    const buffer = insertPaste(createBuffer(), text);
    expect(buffer.text === text).toBe(!isMarker);
    expect(contentOf(buffer)).toBe(text);
  });

  test('are deleted at once, and undo restores them', () => {
    const deleted = run(insertPaste(createBuffer('a'), longPaste), 'delete-left');
    expect(deleted.text).toBe('a');
    expect(contentOf(undo(deleted))).toBe(`a${longPaste}`);
  });

  test('are one word when moving by words', () => {
    const buffer = insert(insertPaste(createBuffer('ab '), longPaste), ' cd');
    expect(run(buffer, 'move-word-left', 'move-word-left').cursor).toBe(3);
  });

  test('expand at the caret, and undo collapses them', () => {
    const buffer = insertPaste(createBuffer('a '), longPaste);
    const expanded = expandPaste(buffer);
    expect(expanded.text).toBe(`a ${longPaste}`);
    expect(undo(expanded).text).toBe(buffer.text);
    expect(pasteAtCursor(run(buffer, 'move-left'))?.text).toBe(longPaste);
    expect(pasteAtCursor(run(buffer, 'move-text-start'))).toBeUndefined();
    expect(expandPaste(createBuffer('😀')).text).toBe('😀');
  });

  test('are separate from each other', () => {
    const other = longPaste.toUpperCase();
    const buffer = insertPaste(insertPaste(createBuffer(), longPaste), other);
    expect(contentOf(buffer)).toBe(longPaste + other);
  });

  test('are never confused with a character of the text', () => {
    const text = `\u{10FFFD}\uE000\u{F0001} ${longPaste} \uDC00`;
    expect(contentOf(insert(insertPaste(createBuffer(), longPaste), '\uDC00'))).toBe(
      `${longPaste}\uFFFD`,
    );
    expect(contentOf(insertPaste(createBuffer(), text))).toBe(text.replace('\uDC00', '\uFFFD'));
  });

  test('stay with a restored draft', () => {
    const buffer = insertPaste(createBuffer('a'), longPaste);
    const restored = withDraft(clearBuffer(buffer), draftOf(buffer));
    expect(contentOf(restored)).toBe(`a${longPaste}`);
  });

  test('of 10,000 lines are inserted, expanded and edited in under a second', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `${index} ${'ü'.repeat(90)}`);
    let buffer = createBuffer();
    const taken = await processorTime(() => {
      buffer = expandPaste(insertPaste(buffer, lines.join('\n')));
      buffer = moveTo(buffer, buffer.text.length / 2);
      for (let count = 0; count < 20; count += 1) {
        buffer = run(insert(buffer, 'x'), 'move-left', 'move-word-left', 'move-right');
      }
    });
    expect(taken).toBeLessThan(1000);
    expect(contentOf(buffer)).toHaveLength(lines.join('\n').length + 20);
  });
});
