import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runKeys, viAt } from './run-keys.ts';

type Outcome = readonly [
  before: string,
  cursor: number,
  keys: string,
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
    const { vi, buffer } = runKeys(viAt(before, cursor), `${keys}\u001B`);
    const { text = '', isLinewise = false } = vi.register ?? {};
    const register = isLinewise ? `${text}\n` : text;
    return [before, cursor, keys, buffer.text, buffer.cursor, register];
  });
  expect(outcomes.length).toBeGreaterThan(300);
  expect(seen).toEqual(outcomes);
});
