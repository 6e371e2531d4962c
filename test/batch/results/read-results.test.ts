import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readResults } from '../../../src/batch/results/read-results.ts';

const temporaryPath = () => join(mkdtempSync(join(tmpdir(), 'natter-results-')), 'out.jsonl');

test('a missing file has no results', () => {
  expect(readResults(temporaryPath()).count()).toBe(0);
});

test('each result has the offset of its line, also after NULs from a crash', () => {
  const name = temporaryPath();
  const lines = [1, 2].map(
    (index) => `${JSON.stringify({ index, prompt_hash: '0'.repeat(16), content: 'é' })}\n`,
  );
  writeFileSync(name, `${lines[0]}\0\0\n${lines[1]}`);
  const [first, second] = lines.map((line) => Buffer.byteLength(line));
  const results = readResults(name);
  expect(results.get(1)).toMatchObject({ offset: 0, length: first });
  expect(results.get(2)).toMatchObject({ offset: (first ?? 0) + 3, length: second });
});
