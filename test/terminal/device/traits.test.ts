import { expect, test } from 'vitest';
import { createTerminalQueries } from '../../../src/terminal/device/traits.ts';

test('replies belong to the queries in order', () => {
  const written: string[] = [];
  const heard: string[] = [];
  const queries = createTerminalQueries((text) => written.push(text));
  queries.askColumn((column) => heard.push(`first ${column}`));
  queries.askColumn((column) => heard.push(`second ${column}`));
  for (const column of [7, 8, 9]) queries.answered({ type: 'cursor-column', column });
  expect(written).toEqual(['\u001B[6n', '\u001B[6n']);
  expect(heard).toEqual(['first 7', 'second 8']);
});

test.each([
  ['xterm.js', '0;276;0', true],
  ['VTE', '65;7802;1', false],
  ['tmux', '84;0;0', false],
  ['a terminal without a reply', undefined, false],
])('X26: %s is recognised by its reply', (_, parameters, drifts) => {
  const written: string[] = [];
  const heard: boolean[] = [];
  const queries = createTerminalQueries((text) => written.push(text));
  queries.askDrift((answer) => heard.push(answer));
  if (parameters !== undefined) queries.answered({ type: 'terminal-kind', parameters });
  expect(heard).toEqual([]);
  queries.answered({ type: 'cursor-column', column: 3 });
  expect(written).toEqual(['\u001B[>c\u001B[6n']);
  expect(heard).toEqual([drifts]);
});
