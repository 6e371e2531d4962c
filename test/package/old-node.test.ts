import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { binary, cleanEnvironment } from '../support/natter.ts';

/** Runs natter in a Node that reports this version. */
function runAs(version: string, words: readonly string[]) {
  const versions = JSON.stringify({ node: version });
  const script = `
    Object.defineProperty(process, 'versions', { value: ${versions} });
    Object.defineProperty(process, 'version', { value: 'v${version}' });
    require(${JSON.stringify(resolve(binary))});
  `;
  const options = { env: cleanEnvironment() };
  return promisify(execFile)(process.execPath, ['-e', script, 'natter', ...words], options);
}

test.each(['14.21.3', '16.20.2', '18.20.8', '20.18.3'])(
  'Y22: Node %s is reported as too old, without a stack trace',
  async (version) => {
    for (const words of [['hi'], ['--version']]) {
      await expect(runAs(version, words)).rejects.toMatchObject({
        code: 3,
        stdout: '',
        stderr:
          `natter needs Node 20.19 or newer; this is v${version}\n` +
          '  install a newer Node from https://nodejs.org, or with a version manager\n',
      });
    }
  },
);

test.each(['20.19.0', '22.0.0', '100.0.0'])('Y22: Node %s is new enough', async (version) => {
  expect((await runAs(version, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('Y22: the first file has only syntax that an old Node supports', () => {
  const program = readFileSync(binary, 'utf8').replaceAll(/^(?:#!|\/\/).*$/gm, '');
  expect(program).not.toMatch(
    /\b(?:const|let|class|async|import|export)\b|=>|\?\.|\?\?|`|\.\.\.|node:/,
  );
});
