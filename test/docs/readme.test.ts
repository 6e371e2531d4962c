import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { openExampleShell, type ExampleShell } from '../support/example-shell.ts';
import { shellLines } from '../support/guide-blocks.ts';
import { openTerminal } from '../support/terminal.ts';

const commands = shellLines(readFileSync('README.md', 'utf8'));

/** Not run here, because they install natter; `.ci/run` runs them. */
const installing = commands.filter((line) => line.startsWith('npm ci'));
const chatting = commands.filter((line) => line === 'natter');
const running = commands.filter((line) => ![...installing, ...chatting].includes(line));

/** Exit codes of the examples that fail. */
const exitCodes = new Map([['natter --sandbox "[sandbox fin cut-after=5] hello"', 11]]);

let shell: ExampleShell;
beforeAll(async () => {
  shell = await openExampleShell();
});
afterAll(() => shell.close());

test('the README installs with the commands that CI runs', () => {
  expect(installing).toEqual(['npm ci && npx natter --sandbox "hello"', 'npm ci && npm test']);
  expect(readFileSync('.ci/run', 'utf8')).toContain('\nnpm ci && npm test\n');
});

test.each(running)('README: %s', async (line) => {
  const { code, stdout, stderr } = await shell.run(line);
  expect({ code, stderr }).toMatchObject({ code: exitCodes.get(line) ?? 0 });
  expect(stdout + stderr).not.toBe('');
});

test.each(chatting)('README: %s', async () => {
  const env = { NATTER_BASE_URL: shell.serviceUrl, NATTER_API_KEY: sandboxKey };
  const session = openTerminal([], { env });
  await session.waitFor(/type a prompt/);
  session.type('hello');
  await session.waitFor(/› hello/);
  session.type('\r');
  await session.waitFor(/your prompt: hello/);
  session.type('\u0004');
  expect((await session.exit).exitCode).toBe(0);
});
