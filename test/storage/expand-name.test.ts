import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expandName } from '../../src/storage/expand-name.ts';

const folder = mkdtempSync(join(tmpdir(), 'natter-names-'));
for (const name of ['p-2.jsonl', 'p-1.jsonl', 'p-10.jsonl', 'q(1).jsonl', '.p-3.jsonl', '[x]*'])
  writeFileSync(join(folder, name), '');

test.each([
  ['p-*.jsonl', ['p-1.jsonl', 'p-10.jsonl', 'p-2.jsonl']],
  ['p-?.jsonl', ['p-1.jsonl', 'p-2.jsonl']],
  ['*(1).jsonl', ['q(1).jsonl']],
  ['.p*', ['.p-3.jsonl']],
  ['[x]*', ['[x]*']],
  ['r-*.jsonl', []],
  ['r-1.jsonl', ['r-1.jsonl']],
])('Y24: %s means %j', (name, expected) => {
  expect(expandName(join(folder, name))).toEqual(expected.map((file) => join(folder, file)));
});
