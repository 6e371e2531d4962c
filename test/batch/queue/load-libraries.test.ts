import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadLibraries } from '../../../src/batch/queue/library.ts';
import { installPackages } from '../../support/batch.ts';
import { folderOf } from '../../support/folder.ts';

/** A program beside these packages. */
function programWith(packages: Readonly<Record<string, string>>): string {
  const folder = folderOf();
  installPackages(folder, packages);
  return join(folder, 'program.cjs');
}

test('both packages are loaded from a folder above the program', () => {
  const { redis } = loadLibraries(programWith({ bullmq: '6.7.0', ioredis: '5.4.1' }));
  expect(redis).toEqual({ Redis: expect.any(Function) as unknown });
});

test.each([
  ['bullmq, which is not installed', {}],
  ['ioredis, which is not installed', { bullmq: '6.7.0' }],
  ['bullmq 6.0 or newer, not 5.61.2', { bullmq: '5.61.2', ioredis: '5.4.1' }],
  ['ioredis 5.4 or newer, not 5.3.2', { bullmq: '6.7.0', ioredis: '5.3.2' }],
])('a missing or old package is a failure: %s', (words, packages) => {
  expect(() => loadLibraries(programWith(packages))).toThrow(
    expect.objectContaining({
      kind: 'configuration',
      message: expect.stringContaining(words) as string,
      hint: expect.stringContaining('npm install --global bullmq ioredis') as string,
    }) as Error,
  );
});
