import { expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import type { Candidate } from '../../../src/repl/composer/completion.ts';
import { createBuffer } from '../../../src/repl/composer/text-buffer.ts';
import { completeLine } from '../../../src/repl/line-mode/line-completion.ts';

const commands = ['copy', 'compare', 'continue', 'clear', 'undo'];
const files = [{ value: 'notes.md' }, { value: 'news', isFolder: true }];

function complete(text: string, candidates: readonly Candidate[]) {
  const { buffer, words } = completeLine(createBuffer(text), () => candidates);
  return [buffer.text, words];
}

test.each([
  ['/u', '/undo ', undefined],
  ['/c', '/co', '3 choices: /copy, /compare, /continue; Tab takes the first'],
  ['/xy', '/xy', 'no command contains "xy"'],
])('completes the command %s, without those that line mode does not have', (...row) => {
  const [text, completed, words] = row;
  const candidates = commands.map((value) => ({ value }));
  expect(complete(text, candidates)).toEqual([completed, words]);
});

test.each([
  ['read @n', 'read @n', '2 choices: notes.md, news/; Tab takes the first'],
  ['read @no', 'read @notes.md ', undefined],
  ['read @x', 'read @x', 'no file contains "x"'],
  ['prose', 'prose', 'Tab completes commands, their arguments, and files after @'],
])('completes %s', (text, completed, words) => {
  expect(complete(text, files)).toEqual([completed, words]);
});

test('reads the first of many choices', () => {
  const models = Array.from({ length: 30 }, (_, index) => ({ value: `m${index}` }));
  const [, words] = complete('/model ', models);
  expect(words).toMatch(
    /^30 choices, the first 12: m0, m1, .*, m11; type more letters, or Tab takes the first$/,
  );
});

test('says why the choices cannot be read', () => {
  const unreadable = () => {
    throw new Failure('storage', 'cannot read the conversations');
  };
  const { buffer, words } = completeLine(createBuffer('/resume t'), unreadable);
  expect([buffer.text, words]).toEqual(['/resume t', 'cannot read the conversations']);
});
