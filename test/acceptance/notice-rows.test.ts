import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runNatter } from '../support/natter.ts';
import { openTerminal } from '../support/terminal.ts';

const missing = ['conversations', 'show', 'seagulls'];

test('a failure on a narrow terminal breaks between words, and its command is copied whole', async () => {
  const terminal = openTerminal(missing, { columns: 40 });
  expect((await terminal.exit).exitCode).toBe(6);
  const copied = (await terminal.copied()).trimEnd();
  expect(copied).toBe(await terminal.transcript());
  expect(copied).toMatch(/^natter: .*\n {8}\S/);
  expect(copied).toMatch(/^ *natter conversations search seagulls$/m);
});

test('in a pipe a failure is one line, and its hint another', async () => {
  const { stderr } = await runNatter(missing, { env: { COLUMNS: '40' } });
  expect(stderr.split('\n')).toHaveLength(3);
});

test.each([
  ['that fits does not load', 80, false],
  ['that is too long loads', 20, true],
])('a notice %s the code for rows', async (_, columns, isLoaded) => {
  const list = join(mkdtempSync(join(tmpdir(), 'natter-loaded-')), 'modules');
  const preload = resolve('test/support/loaded-modules.cjs');
  const env = { NODE_OPTIONS: `--require ${preload}`, LOADED_MODULES: list };
  const prompt = '[sandbox finish=length tokens=2]';
  const terminal = openTerminal(['--sandbox', '--no-save', prompt], { columns, env });
  await terminal.exit;
  expect(await terminal.transcript()).toContain('natter: ');
  expect(readFileSync(list, 'utf8').includes('notice-rows.cjs')).toBe(isLoaded);
});
