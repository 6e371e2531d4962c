import { expect, test } from 'vitest';
import { openTerminal } from '../support/terminal.ts';

test.each([
  ['words', '  item'],
  ['none', 'item'],
])('with --wrap %s, the rows of a list item in columns begin with %j', async (wrap, begin) => {
  const prompt = `[sandbox echo] - an item${' item'.repeat(20)}`;
  const words = ['compare', '--sandbox', '--no-save', '--wrap', wrap, prompt];
  const session = openTerminal(words, { columns: 90, env: { NO_COLOR: '1' } });
  expect((await session.exit).exitCode).toBe(0);
  const rows = (await session.transcript()).split('\n');
  expect(rows[2]).toMatch(/^[•-] an item item/);
  expect(rows[3]?.startsWith(`${begin} item item`)).toBe(true);
  expect(rows[3]).toContain(`│ ${begin} item item`);
});
