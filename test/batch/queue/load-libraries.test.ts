import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadLibraries } from '../../../src/batch/queue/library.ts';

/** A folder with packages whose only export is their version. */
function folderWith(packages: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'natter-libraries-'));
  for (const [name, version] of Object.entries(packages)) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version }));
    writeFileSync(join(place, 'index.js'), `module.exports = '${name} ${version}';`);
  }
  return join(folder, 'program.cjs');
}

test('both packages are loaded from a folder above the program', () => {
  const program = folderWith({ bullmq: '6.7.0', ioredis: '5.4.1' });
  expect(loadLibraries(program)).toEqual({ queue: 'bullmq 6.7.0', redis: 'ioredis 5.4.1' });
});

test.each([
  ['bullmq, which is not installed', {}],
  ['ioredis, which is not installed', { bullmq: '6.7.0' }],
  ['bullmq 6.0 or newer, not 5.61.2', { bullmq: '5.61.2', ioredis: '5.4.1' }],
  ['ioredis 5.4 or newer, not 5.3.2', { bullmq: '6.7.0', ioredis: '5.3.2' }],
])('a missing or old package is a failure: %s', (words, packages) => {
  expect(() => loadLibraries(folderWith(packages))).toThrow(
    expect.objectContaining({
      kind: 'configuration',
      message: expect.stringContaining(words) as string,
      hint: expect.stringContaining('npm install --global bullmq ioredis') as string,
    }) as Error,
  );
});
