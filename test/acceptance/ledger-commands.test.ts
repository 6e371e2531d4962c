import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerLine } from '../../src/usage/ledger.ts';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines } from '../support/natter.ts';

test.each<[string, readonly string[], string]>([
  ['run', ['run', '-'], ''],
  ['chat --every', ['--every', '1l', 'echo'], 'one\ntwo\n'],
  ['chat --split', ['--split', 'lines', 'echo'], 'a line of the text\n'.repeat(40_000)],
])('the requests of natter %s have its name', async (command, words, input) => {
  const state = mkdtempSync(join(tmpdir(), 'natter-state-'));
  const file = join(mkdtempSync(join(tmpdir(), 'natter-prompt-')), 'hello.md');
  writeFileSync(file, 'hello\n');
  const line = words.map((word) => (word === '-' ? file : word));
  const env = { NATTER_STATE_DIR: state, NATTER_DATA_DIR: join(state, 'data') };
  expect(await runInMemory(['--sandbox', ...line], { env, input })).toMatchObject({ code: 0 });
  const folder = join(state, 'usage');
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const lines = jsonLines(text.join('')) as readonly LedgerLine[];
  expect(new Set(lines.map((one) => one.command))).toEqual(new Set([command]));
});
