import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { openEditor } from './open-editor.ts';

const left = '\u001B[D';
const right = '\u001B[C';
const up = '\u001B[A';
const down = '\u001B[B';
const home = '\u001B[H';
const end = '\u001B[F';
const erase = '\u001B[3~';
const backspace = '\u007F';
const wordLeft = '\u001Bb';
const wordRight = '\u001B[1;5C';

test.each([
  ['left and right', ['helo', left, 'l', right, '!'], 'hello!'],
  ['home and end', ['ello', home, 'h', end, '!'], 'hello!'],
  ['Delete and Backspace', ['hxelloy', backspace, home, right, erase], 'hello'],
  ['motions by words', ['one three', wordLeft, 'two ', home, wordRight, ','], 'one, two three'],
  [
    'Ctrl+A, Ctrl+K and Ctrl+Y',
    ['world hello ', '\u0001', wordRight, '\u000B', '\u0001', '\u0019'],
    ' hello world',
  ],
  ['Ctrl+U and Ctrl+W', ['a b c', '\u0017', 'd'], 'a b d'],
  ['wide characters', ['日本', left, '🎉', end, 'é'], '日🎉本é'],
  ['a tab', ['a\tb'], 'a\tb'],
  ['keys without a binding', ['a', '\u001B[15~', '\u001B[I', '\u001B[57358;1u', 'b'], 'ab'],
])('X29: %s edit the line, which gets no escape sequences', async (_, keys, text) => {
  const { screen, type, lines } = openEditor();
  await type(...keys);
  expect((await screen.screen())[0]?.trimEnd()).toBe(`You: ${text.replaceAll('\t', '    ')}`);
  await type('\r');
  expect(lines).toEqual([text]);
});

test('X29: up and down recall earlier prompts and keep the draft', async () => {
  const { screen, type, lines } = openEditor({ history: ['older', 'newer'] });
  await type('draft', up, up);
  expect((await screen.screen())[0]).toBe('You: older');
  await type(down, down);
  expect((await screen.screen())[0]).toBe('You: draft');
  await type(up, '!', '\r');
  expect(lines).toEqual(['newer!']);
});

test('X29: editing at the end of a row writes no escape sequence', async () => {
  const { screen, type } = openEditor();
  await type('hello world', backspace, left, left, 'x', home, erase, end, up, '\u0015', 'again');
  expect(screen.output.join('')).not.toContain('\u001B');
  expect((await screen.screen())[0]?.trimEnd()).toBe('You: again');
});

test('X29: typing at the end writes only the typed characters', async () => {
  const { screen, type } = openEditor();
  screen.output.length = 0;
  await type('h', 'i');
  expect(screen.output).toEqual(['h', 'i']);
});

test('X29: the screen shows the line and the caret for any input, on many rows too', async () => {
  const texts = ['a', 'word ', '日', 'é', '🎉', 'a long piece of text '];
  const moves = [left, right, home, end, wordLeft];
  const cuts = [erase, backspace, '\u000B', '\u0015', '\u0019'];
  const keys = fc.constantFrom(...texts, ...moves, ...cuts);
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 40 }), async (typed) => {
      const { screen, editor, type, lines } = openEditor({ columns: 20 });
      await type(...typed);
      const [shown = ''] = await screen.lines();
      const mark = '|';
      await type(mark);
      const [marked = ''] = await screen.lines();
      editor.hide();
      await type('\r');
      const [line = ''] = lines;
      // A wide character that does not fit leaves the last column of its row empty.
      const bare = (text: string) => text.replaceAll(/\s/g, '');
      expect(bare(shown)).toBe(bare(`You: ${line.replace(mark, '')}`));
      expect(bare(marked)).toBe(bare(`You: ${line}`));
    }),
    { numRuns: 300 },
  );
});

test('X29: text typed while the line is hidden appears with the next question', async () => {
  const { screen, editor, type, lines } = openEditor();
  await type('one');
  editor.hide();
  screen.write('\r\norigin: text');
  await type(' two', left);
  screen.write('\r\nYou: ');
  editor.show(5);
  await type('x');
  expect(await screen.screen()).toEqual(['You: one', 'origin: text', 'You: one twxo']);
  await type('\r');
  expect(lines).toEqual(['one twxo']);
});

test('X29: Ctrl+C discards the line, then interrupts; Ctrl+D ends on an empty line; Ctrl+Z suspends', async () => {
  const { type, lines, events } = openEditor();
  await type('draft', '\u0003', '\u0003', 'x', '\u0004', '\u0001', '\u0004', '\u0004', '\u001A');
  expect(events).toEqual(['cleared', 'discarded', 'interrupt', 'end', 'suspend']);
  expect(lines).toEqual([]);
});

test('X29: the lines of a paste are entered one by one, however its bytes are split', async () => {
  const { type, lines } = openEditor();
  await type('one\rtwö\rthree');
  await type(end);
  expect(lines).toEqual(['one', 'twö']);
  const { editor, lines: others } = openEditor();
  for (const byte of Buffer.from('日本\u001B[D語\r')) editor.feed(Uint8Array.of(byte));
  expect(others).toEqual(['日語本']);
  const marked = openEditor();
  await marked.type('\u001B[200~one\ntwo\u001B[201~', '\r');
  expect(marked.lines).toEqual(['one', 'two']);
});

const search = '\u0012';
const tea = ['tea one', 'coffee', 'tea two'];

test('Ctrl+R asks for a text and shows the prompts that contain it, newest first', async () => {
  const { screen, type, lines } = openEditor({ columns: 60, history: tea });
  await type('draft', search, 'tea', '\r', search, search, '!', '\r');
  expect(await screen.screen()).toEqual([
    'You: draft',
    'Search: tea',
    'You: draft',
    'natter: match 1 of 2; Ctrl+R finds an older one',
    'You: tea two',
    'natter: match 2 of 2',
    'You: tea one',
    'natter: no older prompt contains "tea"',
    'You: tea one!',
  ]);
  expect(lines).toEqual(['tea one!']);
});

test.each([
  ['without a match', ['zzz', '\r']],
  ['cancelled by Ctrl+C', ['tea', '\u0003']],
  ['with an empty text', ['\r']],
])('a search %s keeps the typed text', async (_how, keys) => {
  const { type, lines, events } = openEditor({ columns: 60, history: tea });
  await type('draft', search, ...keys, '!', '\r');
  expect(lines).toEqual(['draft!']);
  expect(events).not.toContain('interrupt');
});

test('Up after a search recalls the prompt before the match', async () => {
  const { type, lines } = openEditor({ columns: 60, history: tea });
  await type(search, 'coffee', '\r', up, '\r');
  expect(lines).toEqual(['tea one']);
});

test('Tab completes at the end of what was read, and is text in a paste', async () => {
  const { screen, type, lines } = openEditor();
  await type('ab\t');
  expect((await screen.screen()).slice(1)).toEqual([
    'natter: Tab completes commands, their ar',
    'guments, and files after @',
    'You: ab',
  ]);
  await type('c\td', '\r');
  expect(lines).toEqual(['abc\td']);
});

test('Ctrl+C while the line is hidden interrupts and keeps the typed text', async () => {
  const { editor, type, lines, events } = openEditor();
  editor.hide();
  await type('typed ahead', '\u0003');
  expect(events).toEqual(['interrupt']);
  editor.show(5);
  await type('\r');
  expect(lines).toEqual(['typed ahead']);
});

test('a paste that ends inside a line waits for the rest of the line', async () => {
  const { lines, events, type } = openEditor();
  await type('one\rtwo\rthr');
  expect([lines, events]).toEqual([['one', 'two'], ['unfinished']]);
  await type('ee\r');
  expect([lines, events]).toEqual([['one', 'two', 'three'], ['unfinished']]);
  await type('four\nfive', '\u0003');
  expect(events).toEqual(['unfinished', 'unfinished', 'cleared', 'discarded']);
});
