import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { boundaryFrom } from '../../../../src/repl/composer/grapheme-boundary.ts';
import { contentOf } from '../../../../src/repl/composer/paste.ts';
import { createBuffer, insert, insertPaste } from '../../../../src/repl/composer/text-buffer.ts';
import { pressCharacter, pressEscape, settled } from '../../../../src/repl/composer/vi/commands.ts';
import type { Vi } from '../../../../src/repl/composer/vi/vi.ts';
import { expectForAll, fc } from '../../../support/properties.ts';

const escape = '\u001B';

/** Normal mode, with the caret at an offset; the last change was `x`, the last search `fo`. */
function viAt(text: string, cursor: number): Vi {
  return {
    mode: 'normal',
    buffer: { ...createBuffer(text), cursor },
    pending: '',
    anchor: 0,
    change: { command: { operator: 'd', name: 'l', character: '' } },
    search: { name: 'f?', character: 'o' },
    register: { text: 'zz', pastes: new Map(), isLinewise: false },
  };
}

function press(vi: Vi, key: string): Vi {
  if (key === escape) return pressEscape(vi) ?? vi;
  if (vi.mode === 'insert') return { ...vi, buffer: insert(vi.buffer, key) };
  const pressed = pressCharacter(vi, key);
  return typeof pressed === 'string' ? { ...vi, pending: '' } : pressed;
}

/** Presses the keys of a text one by one; Esc is `\u001B`, Ctrl+R `\u0012`. */
function runKeys(start: Vi, keys: string): Vi {
  return Array.from(keys).reduce((vi, key) => settled(press(vi, key)), start);
}

const redo = '\u0012';

test.each([
  ['f and an unknown command with , change nothing', 'a, b, c', `f,di,`, 'a|, b, c'],
  ['J joins the selected lines only, up to a line end', 'a\nb\nc', `vj$J`, 'a| b\nc'],
  ['> shifts the selected lines only, up to a line end', 'a\nb', `v$>`, '    |a\nb'],
  ['% goes to the bracket that ends a pair', 'f(a) + (b)', `%`, 'f(a|) + (b)'],
  ['% goes back to the bracket that begins a pair', 'f(a)', `$%`, 'f|(a)'],
  ['di{ keeps the lines of the brackets', '{\nab\n}', `jdi{`, '{\n|}'],
  ['dj deletes the next line after a very long one', `${'x'.repeat(6000)}\nb\nc`, `dj`, '|c'],
  ['| counts from the start of a very long line', 'x'.repeat(3000), `$2|D`, '|x'],
  ['u reverts an insertion of several words', 'a b', `ione two three${escape}u`, '|a b'],
  ['u reverts a changed word with its text', 'a b', `cwone two${escape}u`, '|a b'],
  ['u reverts the deletion before a repeated one', 'a b', `xx.uu`, '| b'],
  ['u reverts a repeated change with its text', 'a b', `cwone${escape}w.u`, 'one |b'],
  ['u reverts an opened line', 'a b', `oone${escape}u`, '|a b'],
  ['2u reverts two changes', 'a b', `xx2u`, '|a b'],
  ['Ctrl+R returns a change', 'a b', `cwone${escape}u${redo}`, '|one b'],
  ['Ctrl+R goes to the change that it returns', 'a b', `xwxuu${redo}`, '| b'],
  ['Ctrl+R returns several changes', 'a b', `xxuu2${redo}`, '|b'],
  ['. repeats an insertion', 'a\nb', `Ax${escape}j.`, 'ax\nb|x'],
  ['a count repeats an insertion', 'a\nb', `3ix${escape}`, 'xx|xa\nb'],
  ['a count repeats opened lines', 'a\nb', `2ox${escape}`, 'a\nx\n|x\nb'],
  ['. repeats replaced characters', 'a\nb', `rxj.`, 'x\n|x'],
  ['I types before a selection', 'one two', 'vwIx', 'x|one two'],
  ['A types after a selection', 'one two', 'veAx', 'onex| two'],
  ['A types after the end of a selection', 'one two', 'wvbAx', 'one tx|wo'],
  ['I types before selected lines', 'one two', 'wVIx', 'x|one two'],
  ['A types after selected lines', 'one two', 'VAx', 'one twox|'],
  ['c changes selected lines as lines', 'a\nb\nc', `Vjcx${escape}`, '|x\nc'],
  ['i" on a quote that opens takes its pair', '"a" "b"', '2f"di"', '"a" "|"'],
  ['. with a count repeats the change of an object', 'one two', 'diww2.', '| '],
  ['. does not repeat a change of a selection', 'one two', 'vd.', '|ne two'],
  ['Esc ends an incomplete command', 'one two', `d${escape}x`, '|ne two'],
  ['an unknown command does nothing', 'one two', 'dqx', '|ne two'],
])('%s', (_, text, keys, expected) => {
  const { buffer } = runKeys(viAt(text, 0), keys);
  expect(`${buffer.text.slice(0, buffer.cursor)}|${buffer.text.slice(buffer.cursor)}`).toBe(
    expected,
  );
});

test('the number of undo steps has a limit, at which changes are still repeated', () => {
  const many = runKeys(viAt('', 0), `ix${escape}`.repeat(600));
  expect(many.buffer.undoStack.length).toBeLessThanOrEqual(500);
  expect(runKeys(many, `iab${escape}..`).buffer.text).toHaveLength(606);
});

test('a paste marker is one character, and keeps its text', () => {
  const paste = 'line\n'.repeat(20);
  const buffer = { ...insertPaste(createBuffer('ab'), paste), cursor: 0 };
  const { buffer: moved } = runKeys({ ...viAt('', 0), buffer }, '$xp0~');
  expect(contentOf(moved)).toBe(`Ab${paste}`);
});

const keyTexts = fc.string({
  unit: fc.constantFrom(
    ...Array.from('hjklwbeWBE0^$gG{}%;,fFtTdcyx><~uUrJpPoOiaIAvVCDSsYX.23 ("é漢'),
    escape,
  ),
  maxLength: 40,
});
const anyText = fc.string({
  unit: fc.constantFrom('a', 'b.', ' ', '\n', '(', ')', '"', '漢', '👩‍👩‍👧', '\t'),
});

test('after any keys, Esc and enough undos return the text', () => {
  expectForAll(anyText, keyTexts, (before, typed) => {
    const start = viAt(before, 0);
    const { buffer } = runKeys(start, `${typed}${escape}${escape}${'u'.repeat(60)}`);
    expect(buffer.text).toBe(before);
  });
});

test('after any keys, the caret of normal mode is on a character', () => {
  expectForAll(anyText, keyTexts, (before, typed) => {
    const { buffer, mode } = runKeys(viAt(before, 0), `${typed}${escape}${escape}`);
    expect(mode).toBe('normal');
    expect(boundaryFrom(buffer.text, buffer.cursor)).toBe(buffer.cursor);
    const isOnLineEnd =
      buffer.text.charAt(buffer.cursor) === '\n' || buffer.cursor === buffer.text.length;
    const isLineStart = buffer.cursor === 0 || buffer.text.charAt(buffer.cursor - 1) === '\n';
    expect(!isOnLineEnd || isLineStart).toBe(true);
  });
});

type Outcome = readonly [
  before: string,
  cursor: number,
  keyTexts: string,
  after: string,
  cursorAfter: number,
  register: string,
];

// Recorded from Vim 9.0 with `shiftwidth=4 expandtab`: random texts and commands, the caret in UTF-16 units. At the
// start, the unnamed register is `zz`, the last change `x`, and the last search `fo`.
const outcomes = readFileSync('test/repl/composer/vi/vim-outcomes.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Outcome);

test('commands do what they do in Vim', () => {
  const seen = outcomes.map(([before, cursor, keys]): Outcome => {
    const { buffer, register: kept } = runKeys(viAt(before, cursor), `${keys}\u001B`);
    const { text = '', isLinewise = false } = kept ?? {};
    const register = isLinewise ? `${text}\n` : text;
    return [before, cursor, keys, buffer.text, buffer.cursor, register];
  });
  expect(outcomes.length).toBeGreaterThan(250);
  expect(seen).toEqual(outcomes);
});
