import { mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { replaceWithTexts } from '../../src/batch/results/write-results.ts';
import { replaceFile } from '../../src/storage/state-file.ts';

const valuable = 'important notes';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natter-draft-'));
  writeFileSync(join(folder, 'valuable'), valuable);
});

/** A link with a predictable name, which a different account can create in a shared folder. */
function plantLink(name: string): void {
  symlinkSync(join(folder, 'valuable'), join(folder, name));
}

test('X1: sorting results does not follow a link with the name of their temporary file', async () => {
  plantLink('results.jsonl.draft');
  await replaceWithTexts(join(folder, 'results.jsonl'), ['a\n']);
  expect(readFileSync(join(folder, 'valuable'), 'utf8')).toBe(valuable);
  expect(readFileSync(join(folder, 'results.jsonl'), 'utf8')).toBe('a\n');
});

test('X1: saving a draft does not follow a link with the name of its temporary file', () => {
  plantLink('draft.json.new');
  replaceFile(join(folder, 'draft.json'), 'half a thought');
  expect(readFileSync(join(folder, 'valuable'), 'utf8')).toBe(valuable);
  expect(readFileSync(join(folder, 'draft.json'), 'utf8')).toBe('half a thought');
});

test('a temporary file left from a crash is replaced, readable only by its owner', () => {
  writeFileSync(join(folder, 'draft.json.new'), 'older and longer than this', { mode: 0o644 });
  replaceFile(join(folder, 'draft.json'), 'new');
  expect(readFileSync(join(folder, 'draft.json'), 'utf8')).toBe('new');
  const { mode } = statSync(join(folder, 'draft.json'));
  expect(process.platform === 'win32' || (mode & 0o777) === 0o600).toBe(true);
});
