import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resultsPath } from '../../../src/batch/results/read-results.ts';
import { resultLock } from '../../../src/batch/results/result-file.ts';
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
    expect(() => resultLock(name)).toThrow(
      expect.objectContaining({
        kind: 'storage',
        message: `cannot write ${name}: its symbolic links form a loop`,
      }),
    );
  });
});
