import { describe, expect, test } from 'vitest';
import {
  breakAtBackslash,
  type EditAction,
  editActions,
  redo,
  undo,
} from '../../../src/repl/composer/edit-actions.ts';
import { contentOf } from '../../../src/repl/composer/paste.ts';
import {
  clearBuffer,
  createBuffer,
  draftOf,
  endEdit,
  expandPaste,
  insert,
  insertPaste,
  moveTo,
  replaceContent,
  type TextBuffer,
  withDraft,
} from '../../../src/repl/composer/text-buffer.ts';
import { processorTime } from '../../support/processor-time.ts';
import { expectForAll, fc } from '../../support/properties.ts';

const longPaste = Array.from({ length: 123 }, (_, index) => `line ${index + 1}`).join('\n');

function run(buffer: TextBuffer, ...actions: EditAction[]): TextBuffer {
  return actions.reduce((current, action) => editActions[action](current), buffer);
}

/** `|` marks the caret. */
function bufferAt(text: string): TextBuffer {
  return moveTo(createBuffer(text.replace('|', '')), text.indexOf('|'));
}

function shown({ text, cursor }: TextBuffer): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

test.each<[string, EditAction, string]>([
  ['ab|c', 'move-left', 'a|bc'],
  ['|abc', 'move-left', '|abc'],
  ['a👨‍👩‍👧‍👦|b', 'move-left', 'a|👨‍👩‍👧‍👦b'],
  ['a👨‍👩‍👧‍👦|b', 'delete-left', 'a|b'],
  ['a|👨‍👩‍👧‍👦b', 'delete-right', 'a|b'],
  ['abc|', 'move-right', 'abc|'],
  ['a|\nb', 'move-right', 'a\n|b'],
  ['one two|', 'move-word-left', 'one |two'],
  ['one two |', 'move-word-left', 'one |two '],
  ['|one two', 'move-word-right', 'one| two'],
  ['one|  two', 'move-word-right', 'one  two|'],
  ['one|, ', 'move-word-right', 'one, |'],
  ['a\nbc|d\ne', 'move-line-start', 'a\n|bcd\ne'],
  ['a\nb|cd\ne', 'move-line-end', 'a\nbcd|\ne'],
  ['a\nb|c', 'move-text-start', '|a\nbc'],
  ['a|\nbc', 'move-text-end', 'a\nbc|'],
  ['a|', 'delete-left', '|'],
  ['|a', 'delete-left', '|a'],
  ['a\n|b', 'delete-left', 'a|b'],
  ['|ab', 'delete-right', '|b'],
  ['one two|', 'kill-word-left', 'one |'],
  ['|one two', 'kill-word-right', '| two'],
  ['run --fix=a,b|', 'kill-blank-word-left', 'run |'],
  ['a\nbc|d', 'kill-line-start', 'a\n|d'],
  ['a\n|bcd', 'kill-line-start', 'a|bcd'],
  ['a|bc\nd', 'kill-line-end', 'a|\nd'],
  ['a|\nd', 'kill-line-end', 'a|d'],
  ['a|b', 'transpose', 'ba|'],
  ['ab|', 'transpose', 'ba|'],
  ['|ab', 'transpose', '|ab'],
  ['a|b', 'new-line', 'a\n|b'],
])('%j after %s is %j', (before, action, after) => {
  expect(shown(run(bufferAt(before), action))).toBe(after);
});

test('moves by words in scripts without spaces', () => {
  const text = '日本語を勉強します';
  const { cursor } = run(createBuffer(text), 'move-word-left');
  expect(cursor).toBeGreaterThan(0);
  expect(cursor).toBeLessThan(text.length);
});

test('turns all line ends into \\n and lone surrogates into U+FFFD', () => {
  expect(insert(createBuffer(), 'a\r\nb\rc\nd\uD83D').text).toBe('a\nb\nc\nd\uFFFD');
  expect(replaceContent(createBuffer(), 'a\r\n').text).toBe('a\n');
});

test('breaks the line at a backslash before the caret', () => {
  expect(breakAtBackslash(bufferAt('one\\|'))).toMatchObject({ text: 'one\n', cursor: 4 });
  expect(breakAtBackslash(bufferAt('one\\ |'))).toBeUndefined();
  expect(breakAtBackslash(bufferAt('|'))).toBeUndefined();
});

describe('kill ring', () => {
  test('returns what was killed, consecutive kills in text order', () => {
    const moved = run(bufferAt('one |two'), 'kill-line-end', 'move-line-start', 'yank');
    expect(shown(moved)).toBe('two|one ');
    const words = run(bufferAt('one two| three'), 'kill-word-left', 'kill-word-left');
    expect(run(words, 'kill-line-end', 'yank').text).toBe('one two three');
  });

  test('yank-pop cycles through older kills and does nothing without a yank', () => {
    const killed = run(bufferAt('one two|'), 'kill-word-left', 'move-line-start', 'kill-line-end');
    const pops = [['yank'], ['yank', 'yank-pop'], ['yank', 'yank-pop', 'yank-pop'], ['yank-pop']];
    const texts = (pops as EditAction[][]).map((actions) => run(killed, ...actions).text);
    expect(texts).toEqual(['one ', 'two', 'one ', '']);
  });

  test('survives sending, including paste markers', () => {
    const killed = run(insertPaste(createBuffer('see '), longPaste), 'kill-line-start');
    const next = insertPaste(clearBuffer(killed), `${longPaste}!`);
    expect(contentOf(run(next, 'yank'))).toBe(`${longPaste}!see ${longPaste}`);
  });
});

describe('undo', () => {
  const words = Array.from('one two').reduce(insert, createBuffer());
  const erased = (text: string) => run(createBuffer(text), 'delete-left');
  const deleted = run(bufferAt('|abc'), 'delete-right', 'delete-right');
  const typed = insert(createBuffer('b'), 'a');
  const undone = undo(insert(createBuffer(), 'a'));

  test.each([
    ['the last typed word', undo(words), 'one '],
    ['every word', undo(undo(words)), ''],
    ['nothing after redo', redo(undo(words)), 'one two'],
    ['nothing that redo returns after other text', redo(insert(undone, 'b')), 'b'],
    ['Backspaces at once', undo(run(erased('abc'), 'delete-left')), 'abc'],
    ['letters deleted forwards at once', undo(deleted), 'abc'],
    ['what was typed elsewhere', undo(insert(moveTo(typed, 0), 'c')), 'ba'],
    ['a removal after typing', undo(run(typed, 'delete-left')), 'ba'],
    ['what was typed after a removal', undo(insert(erased('ba'), 'c')), 'b'],
    ['the text from an editor', undo(replaceContent(createBuffer('old'), 'new\r\n')), 'old'],
  ])('reverts %s', (_, { text }, expected) => {
    expect(text).toBe(expected);
  });

  test('has fewer steps in a very long text, but at least one', () => {
    let buffer = createBuffer('a '.repeat(5_000_000));
    for (const text of ['b ', 'c ', 'd ']) buffer = insert(endEdit(buffer), text);
    expect(buffer.undoStack).toHaveLength(2);
    expect(undo(undo(buffer)).text).toMatch(/a b $/);
  });
});

describe('pastes', () => {
  test.each([
    ['five lines and a line end stay text', '1\n2\n3\n4\n5\n', false],
    ['six lines become a marker', '1\n2\n3\n4\n5\n6', true],
    ['500 characters stay text', 'x'.repeat(500), false],
    ['501 characters become a marker', 'x'.repeat(501), true],
  ])('%s', (_, text, isMarker) => {
    const buffer = insertPaste(createBuffer(), text);
    expect(buffer.text.length).toBe(isMarker ? 1 : text.length);
    expect(contentOf(buffer)).toBe(text);
  });

  test('are deleted at once, are one word, and undo restores them', () => {
    const buffer = insertPaste(createBuffer('ab '), longPaste);
    const deleted = run(buffer, 'delete-left');
    expect([deleted.text, contentOf(undo(deleted))]).toEqual(['ab ', `ab ${longPaste}`]);
    expect(run(insert(buffer, ' cd'), 'move-word-left', 'move-word-left').cursor).toBe(3);
  });

  test('expand at the caret, and undo collapses them', () => {
    const buffer = insertPaste(createBuffer('a '), longPaste);
    const expanded = expandPaste(buffer);
    expect([expanded.text, undo(expanded).text]).toEqual([`a ${longPaste}`, buffer.text]);
    expect(expandPaste(run(buffer, 'move-left')).text).toBe(`a ${longPaste}`);
    expect(expandPaste(run(buffer, 'move-text-start')).text).toBe(buffer.text);
    // The second half of this character is the marker of the first paste.
    const beside = insert(buffer, '\u{10000}');
    expect(expandPaste(beside).text).toBe(beside.text);
  });

  test('are separate from each other, and stay with a restored draft', () => {
    const other = longPaste.toUpperCase();
    const buffer = insertPaste(insertPaste(createBuffer(), longPaste), other);
    const restored = withDraft(clearBuffer(buffer), draftOf(buffer));
    expect([buffer, restored].map(contentOf)).toEqual([longPaste + other, longPaste + other]);
  });

  test('are never confused with a character of the text', () => {
    const text = `\u{10FFFD}\uE000\u{F0001} ${longPaste} \uDC00`;
    expect(contentOf(insert(insertPaste(createBuffer(), longPaste), '\uDC00'))).toBe(
      `${longPaste}\uFFFD`,
    );
    expect(contentOf(insertPaste(createBuffer(), text))).toBe(text.replace('\uDC00', '\uFFFD'));
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
    expectForAll(fc.array(step, { maxLength: 25 }), (steps) => {
      let buffer = createBuffer();
      for (const apply of steps) {
        buffer = apply(buffer);
        expect(boundaries(buffer.text)).toContain(buffer.cursor);
      }
    });
  });

  test('can be undone to the start and redone to the end', () => {
    expectForAll(fc.array(step, { maxLength: 25 }), (steps) => {
      const edited = steps.reduce((buffer, apply) => apply(buffer), createBuffer());
      let newest = edited;
      while (newest.redoStack.length > 0) newest = redo(newest);
      let buffer = edited;
      while (buffer.undoStack.length > 0) buffer = undo(buffer);
      expect(buffer.text).toBe('');
      while (buffer.redoStack.length > 0) buffer = redo(buffer);
      expect(contentOf(buffer)).toBe(contentOf(newest));
    });
  });
});
