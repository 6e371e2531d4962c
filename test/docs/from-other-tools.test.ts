import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExampleShell, type ExampleShell } from '../support/example-shell.ts';

const guide = readFileSync('docs/from-other-tools.md', 'utf8');

/** The commands in the column of natter, but not the one that opens a conversation. */
const commands = guide
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split(/(?<!\\)\|/)[2] ?? '')
  .flatMap((cell) => [...cell.matchAll(/`(?<command>[^`]+)`/g)])
  .map(({ groups }) => (groups?.['command'] ?? '').replaceAll(String.raw`\|`, '|'))
  .filter((command) => /\bnatter /.test(command));

let shell: ExampleShell;
beforeAll(async () => {
  shell = await openExampleShell();
});
afterAll(() => shell.close());

/** Commands that need the one before them in the same cell. */
const preparation = new Map([
  ['natter --profile reviewer "hello"', 'natter config set system "Be brief." --profile reviewer'],
  ['natter --resume work "hello"', 'natter conversations rename latest work'],
]);

test.each([...new Set(commands)])('%s', async (command) => {
  const before = preparation.get(command);
  // The contract has no temperature, so the sandbox refuses it.
  const sent = command
    .replace('--param temperature=0', '--param temperature=0 --dry-run')
    .replace(/\bID\b/, 'latest');
  const line = before === undefined ? sent : `${before}; ${sent}`;
  const { code, stdout, stderr } = await shell.run(line);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout + stderr).not.toBe('');
});

test('each tool has a table', () => {
  expect(guide.match(/^## .*/gm)).toEqual([
    '## curl',
    '## llm',
    '## aichat',
    '## mods',
    '## claude -p',
  ]);
  expect(commands.length).toBeGreaterThan(30);
});
