import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replaceWithTexts } from '../../../src/batch/results/write-results.ts';
import { folderOf } from '../../support/folder.ts';

const fileIn = (folder: string) => join(folder, 'table.csv');

function folderWithTable(): string {
  const folder = folderOf();
  writeFileSync(fileIn(folder), 'old\n');
  return folder;
}

async function* texts(...parts: readonly string[]): AsyncGenerator<string, void> {
  for (const part of parts) yield part;
}

test.skipIf(process.platform === 'win32')(
  'a file that is replaced keeps permissions that the umask would remove',
  async () => {
    const file = fileIn(folderWithTable());
    chmodSync(file, 0o664);
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    await replaceWithTexts(file, texts('a\n', 'b\n'));
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
    expect(statSync(file).mode & 0o777).toBe(0o664);
  },
);

test('an error of the texts leaves the file as it was, and nothing beside it', async () => {
  const folder = folderWithTable();
  async function* failing(): AsyncGenerator<string, void> {
    yield 'a\n';
    throw new Error('lost');
  }
  await expect(replaceWithTexts(fileIn(folder), failing())).rejects.toThrow('lost');
  expect(readFileSync(fileIn(folder), 'utf8')).toBe('old\n');
  expect(readdirSync(folder)).toEqual(['table.csv']);
});
