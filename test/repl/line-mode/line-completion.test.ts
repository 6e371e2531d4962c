import { expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import { createBuffer } from '../../../src/repl/composer/text-buffer.ts';
import { completeLine } from '../../../src/repl/line-mode/line-completion.ts';
import type { Repl } from '../../../src/repl/session.ts';
import { openMemorySession } from '../../support/memory-session.ts';

async function complete(text: string, changes: Partial<Repl> = {}) {
  const { session } = openMemorySession({
    repl: (usual) => ({ ...usual, ...changes }),
    state: { isLineMode: true },
  });
  const { buffer, words } = await completeLine(session, session.state(), createBuffer(text));
  return [buffer.text, words];
}

test.each([
  ['/ed', '/edit ', undefined],
  ['/co', '/co', '5 choices: /continue, /copy, /context, /compact, /compare; Tab takes the first'],
  ['/cle', '/cle', 'no command contains "cle"'],
  ['/xy', '/xy', 'no command contains "xy"'],
])('completes the command %s, without those that line mode does not have', async (...row) => {
  const [text, completed, words] = row;
  expect(await complete(text)).toEqual([completed, words]);
});

test.each([
  ['read @n', 'read @n', '2 choices: notes.md, src/notes.ts; Tab takes the first'],
  ['read @src', 'read @src/notes.ts ', undefined],
  ['read @x', 'read @x', 'no file contains "x"'],
  ['/save 1 in', '/save 1 in-here.md ', undefined],
  ['prose', 'prose', 'Tab completes commands, their arguments, and files after @'],
])('completes %s', async (text, completed, words) => {
  expect(await complete(text)).toEqual([completed, words]);
});

const { library } = openMemorySession({}).session;

test('reads the first of many choices', async () => {
  const names = () => Array.from({ length: 30 }, (_, index) => ({ value: `m${index}` }));
  const [, words] = await complete('/resume ', { library: { ...library, names } });
  expect(words).toMatch(/^30 choices, the first 12: m0, m1, .*, m11; Tab takes the first$/);
});

test('says why the choices cannot be read', async () => {
  const names = () => {
    throw new Failure('storage', 'cannot read the conversations');
  };
  const completed = await complete('/resume t', { library: { ...library, names } });
  expect(completed).toEqual(['/resume t', 'cannot read the conversations']);
});
