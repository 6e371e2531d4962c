import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resultsPath } from '../../../src/batch/results/read-results.ts';
import { resultLock } from '../../../src/batch/results/result-file.ts';
import { replaceWithTexts } from '../../../src/batch/results/write-results.ts';
import { folderOf } from '../../support/folder.ts';

describe.skipIf(process.platform === 'win32')('the path of a results file', () => {
  test('is the same before and after the file exists, through all links to it', () => {
    const folder = realpathSync(folderOf());
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'linked'));
    symlinkSync('linked/out.jsonl', join(folder, 'link'));
    symlinkSync('link', join(folder, 'chain'));
    const names = ['real/out.jsonl', 'linked/out.jsonl', 'link', 'chain'];
    const paths = () => names.map((name) => resultsPath(join(folder, name)));
    const target = join(folder, 'real/out.jsonl');
    expect(paths()).toEqual(names.map(() => target));
    writeFileSync(target, '');
    expect(paths()).toEqual(names.map(() => target));
  });

  test('is a failure of storage in a loop of links', () => {
    const folder = folderOf();
    symlinkSync('loop', join(folder, 'loop'));
    const name = join(folder, 'loop', 'out.jsonl');
    const message = `cannot write ${name}: its symbolic links form a loop`;
    const failure = expect.objectContaining({ kind: 'storage', message }) as Error;
    expect(() => resultLock(name)).toThrow(failure);
  });
});

test.skipIf(process.platform === 'win32')(
  'a file that is replaced keeps permissions that the umask would remove',
  async () => {
    const file = join(folderOf(), 'table.csv');
    writeFileSync(file, 'old\n');
    chmodSync(file, 0o664);
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    await replaceWithTexts(file, ['a\n', 'b\n']);
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
    expect(statSync(file).mode & 0o777).toBe(0o664);
  },
);

test('an error of the texts leaves the file as it was, and nothing beside it', async () => {
  const folder = folderOf();
  const file = join(folder, 'table.csv');
  writeFileSync(file, 'old\n');
  async function* failing(): AsyncGenerator<string, void> {
    yield 'a\n';
    throw new Error('lost');
  }
  await expect(replaceWithTexts(file, failing())).rejects.toThrow('lost');
  expect(readFileSync(file, 'utf8')).toBe('old\n');
  expect(readdirSync(folder)).toEqual(['table.csv']);
});
