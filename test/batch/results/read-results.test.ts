import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readResults } from '../../../src/batch/results/read-results.ts';

const path = () => join(mkdtempSync(join(tmpdir(), 'natter-results-')), 'out.jsonl');

test('a file that is missing holds no results', () => {
  expect(readResults(path()).count()).toBe(0);
});

test('each result is found where its line begins, also behind what a crash left', () => {
  const name = path();
  const lines = [1, 2].map(
    (index) => `${JSON.stringify({ index, prompt_hash: '0'.repeat(16), content: 'é' })}\n`,
  );
  writeFileSync(name, `${lines[0]}\0\0\n${lines[1]}`);
  const [first, second] = lines.map((line) => Buffer.byteLength(line));
  const results = readResults(name);
  expect(results.get(1)).toMatchObject({ offset: 0, length: first });
  expect(results.get(2)).toMatchObject({ offset: (first ?? 0) + 3, length: second });
});
