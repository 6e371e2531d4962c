import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExampleShell, type ExampleShell } from '../support/example-shell.ts';
import { blocksOf } from '../support/guide-blocks.ts';

/** The commands of natter in the blocks for PowerShell, as natter gets their words. */
const commands = blocksOf('install.md', readFileSync('docs/install.md', 'utf8'))
  .filter(({ language }) => language === 'powershell')
  .flatMap(({ text }) => [...text.matchAll(/(?:^|\| )(?<command>natter [^|\n]*)/gm)])
  .map(({ groups }) => (groups?.['command'] ?? '').replaceAll(String.raw`\"`, '"').trim());

let shell: ExampleShell;
beforeAll(async () => {
  shell = await openExampleShell();
});
afterAll(() => shell.close());

test.each(commands)('the words of %s are valid', async (command) => {
  const { code, stdout, stderr } = await shell.run(`cat notes.md | ${command}`);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).not.toBe('');
});

test('the guide has commands of natter', () => {
  expect(commands).toHaveLength(6);
});
