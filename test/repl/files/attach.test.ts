import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createReplFiles } from '../../../src/repl/files/user-files.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

/** A home folder with `docs/a.md` and `docs/b.txt`. */
function openFiles() {
  const home = mkdtempSync(join(tmpdir(), 'natter-files-'));
  mkdirSync(join(home, 'docs'));
  for (const name of ['a.md', 'b.txt']) writeFileSync(join(home, 'docs', name), name);
  const { context } = createMemoryContext();
  return { home, files: createReplFiles({ ...context, homeDirectory: home }) };
}

const { signal } = new AbortController();

test.each([
  ['~/docs/a.md', 'file'],
  ['~/docs/', 'folder'],
  ['~/docs/*.md', 'pattern'],
  ['~/docs/{a,b}.md', 'pattern'],
  ['https://example.com/', 'page'],
  ['HTTP://example.com/', 'page'],
  ['~/docs/c.md', undefined],
  ['~/docs/[id].md', undefined],
  ['~/docs/a?', undefined],
])('%s is of the kind %s', (name, kind) => {
  expect(openFiles().files.kindOf(name)).toBe(kind);
});

test('a file keeps the name as typed', async () => {
  const { files } = openFiles();
  const name = '~/docs/a.md';
  expect(await files.attach(name, signal)).toEqual({ files: [{ name, content: 'a.md' }] });
});

test.each([
  ['~/docs/', 2],
  ['~/docs/*.md', 1],
])('%s has %d files, and a summary', async (name, number) => {
  const { files } = openFiles();
  const { files: found, summary } = await files.attach(name, signal);
  expect(found).toHaveLength(number);
  expect(summary).toMatch(new RegExp(`^attached .*: ${number} files?, ~\\d+ tokens?$`));
});
