import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cleanEnvironment } from '../support/natter.ts';

/** A folder with natter's first files, but without dist. */
function unbuilt(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'natter-unbuilt-')));
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  return folder;
}

const run = (folder: string, words: readonly string[], cache: string) =>
  promisify(execFile)(process.execPath, [join(folder, 'bin/natter.cjs'), ...words], {
    env: cleanEnvironment({ NODE_DISABLE_COMPILE_CACHE: cache }),
  });

test.each(['', '1'])('a clone that is not built is reported (cache off: %j)', async (cache) => {
  const folder = unbuilt();
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  for (const words of [['hi'], ['--help'], ['help']]) {
    await expect(run(folder, words, cache)).rejects.toMatchObject({
      code: 3,
      stdout: '',
      stderr: `natter is not built: run npm ci in ${folder}\n`,
    });
  }
});

test('a package without built files is reported', async () => {
  const folder = unbuilt();
  await expect(run(folder, ['hi'], '1')).rejects.toMatchObject({
    code: 3,
    stderr: `natter is incomplete: install it again (no built files in ${folder})\n`,
  });
});
