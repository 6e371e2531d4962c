import { describe, expect, test } from 'vitest';
import { boundaryFrom } from '../../../../src/repl/composer/grapheme-boundary.ts';
import { createBuffer, insertPaste } from '../../../../src/repl/composer/text-buffer.ts';
import { contentOf } from '../../../../src/repl/composer/paste.ts';
import { fc } from '../../../support/properties.ts';
import { runKeys, viAt } from './run-keys.ts';

const escape = '\u001B';
const redo = '\u0012';

const after = (text: string, keys: string, cursor = 0) => {
  const { buffer } = runKeys(viAt(text, cursor), keys);
  return `${buffer.text.slice(0, buffer.cursor)}|${buffer.text.slice(buffer.cursor)}`;
};

describe('undo', () => {
  test.each([
    ['an insertion of several words', `ione two three${escape}u`, '|a b'],
    ['a changed word with its text', `cwone two${escape}u`, '|a b'],
    ['the deletion before a repeated one', `xx.uu`, '| b'],
    ['a repeated change with its text', `cwone${escape}w.u`, 'one |b'],
    ['an opened line', `oone${escape}u`, '|a b'],
    ['two changes, with a count', `xx2u`, '|a b'],
  ])('reverts %s', (_, keys, expected) => {
    expect(after('a b', keys)).toBe(expected);
  });

  test('Ctrl+R does it again', () => {
    expect(after('a b', `cwone${escape}u${redo}`)).toBe('|one b');
    expect(after('a b', `xxuu2${redo}`)).toBe('|b');
  });
});

test('the number of undo steps has a limit, at which changes are still repeated', () => {
  const many = runKeys(viAt('', 0), `ix${escape}`.repeat(600));
  expect(many.buffer.undoStack.length).toBeLessThanOrEqual(500);
  expect(runKeys(many, `iab${escape}..`).buffer.text).toHaveLength(606);
});

describe('a large count', () => {
  const long = 'x'.repeat(20_000);

  test.each([
    ['of a put text', 'yy99999p'],
    ['of a text put over a selection', 'y$v99999p'],
    ['of opened lines', `99999oab${escape}`],
    ['of a repeated insertion', `ia${escape}99999.`],
  ])('%s makes a text of at most a million characters more', (_, keys) => {
    const { buffer } = runKeys(viAt(long, 0), keys);
    expect(buffer.text.length).toBeGreaterThan(99_999);
    expect(buffer.text.length).toBeLessThanOrEqual(1_050_000);
  });
});

describe('repeating', () => {
  test.each([
    ['an insertion', `Ax${escape}j.`, 'ax\nb|x'],
    ['an insertion with a count', `3ix${escape}`, 'xx|xa\nb'],
    ['opened lines', `2ox${escape}`, 'a\nx\n|x\nb'],
    ['replaced characters', `rxj.`, 'x\n|x'],
    ['a change of a selection', `vcx${escape}j.`, 'x\n|x'],
  ])('repeats %s', (_, keys, expected) => {
    expect(after('a\nb', keys)).toBe(expected);
  });
});

describe('a selection', () => {
  test.each([
    ['vwIx', 'x|one two three'],
    ['veAx', 'onex| two three'],
    ['wvbAx', 'one tx|wo three'],
    ['wVIx', 'x|one two three'],
    ['VAx', 'one two threex|'],
  ])('has text typed before it or after it: %j', (keys, expected) => {
    expect(after('one two three', keys)).toBe(expected);
  });

  test('of lines has an empty last line', () => {
    expect(after('a\nb\n', 'vGSx')).toBe('x|');
  });

  test('has its change repeated for as much text', () => {
    expect(after('abcdef', 'vldl.')).toBe('c|f');
    expect(after('a\nb\nc', 'V>j.')).toBe('    a\n    |b\nc');
    expect(after('ab\ncd\nef', 'vjdx.')).toBe('|\nef');
    expect(after('abcdef', 'vlrxll.')).toBe('xxx|xef');
    expect(after('a\nb\nc\nd', 'vjJj.')).toBe('a b\nc| d');
  });
});

test('a selection of lines is changed as lines', () => {
  expect(after('a\nb\nc', `Vjcx${escape}`)).toBe('|x\nc');
});

test('an incomplete or unknown command does nothing', () => {
  expect(after('one two', `d${escape}x`)).toBe('|ne two');
  expect(after('one two', 'dqx')).toBe('|ne two');
});

test('a paste marker is one character, and keeps its text', () => {
  const paste = 'line\n'.repeat(20);
  const start = viAt('', 0);
  const buffer = { ...insertPaste(createBuffer('ab'), paste), cursor: 0 };
  const { buffer: moved } = runKeys({ vi: start.vi, buffer }, '$xp0~');
  expect(contentOf(moved)).toBe(`Ab${paste}`);
});

const keys = fc.string({
  unit: fc.constantFrom(
    ...Array.from('hjklwbeWBE0^$gG{}%;,fFtTdcyx><~uUrJpPoOiaIAvVCDSsYX.23 ("é漢'),
    escape,
  ),
  maxLength: 40,
});
const text = fc.string({
  unit: fc.constantFrom('a', 'b.', ' ', '\n', '(', ')', '"', '漢', '👩‍👩‍👧', '\t'),
});

test('after any keys, Esc and enough undos return the text', () => {
  fc.assert(
    fc.property(text, keys, (before, typed) => {
      const start = viAt(before, 0);
      const { buffer } = runKeys(start, `${typed}${escape}${escape}${'u'.repeat(60)}`);
      expect(buffer.text).toBe(before);
    }),
  );
});

test('after any keys, the caret of normal mode is on a character', () => {
  fc.assert(
    fc.property(text, keys, (before, typed) => {
      const { buffer, vi } = runKeys(viAt(before, 0), `${typed}${escape}${escape}`);
      expect(vi.mode).toBe('normal');
      expect(boundaryFrom(buffer.text, buffer.cursor)).toBe(buffer.cursor);
      const isOnLineEnd =
        buffer.text.charAt(buffer.cursor) === '\n' || buffer.cursor === buffer.text.length;
      const isLineStart = buffer.cursor === 0 || buffer.text.charAt(buffer.cursor - 1) === '\n';
      expect(!isOnLineEnd || isLineStart).toBe(true);
    }),
  );
});
