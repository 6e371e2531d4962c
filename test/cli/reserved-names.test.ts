import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { createMemoryContext } from '../support/memory-context.ts';

const folder = mkdtempSync(join(tmpdir(), 'natter-reserved-'));
const prompts = join(folder, 'prompts.txt');
writeFileSync(prompts, 'hi\n');

test.each([
  ['--sandbox', '--record', 'CON', 'hi'],
  ['batch', prompts, '--sandbox', '-o', 'aux.jsonl'],
  ['batch', 'merge', prompts, '-o', 'com1'],
])('Y24: on Windows, the name of a device is refused: natter %s %s %s %s', async (...words) => {
  const { context } = createMemoryContext();
  await expect(runProgram({ ...context, platform: 'win32' }, words)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringMatching(/^\S+ is a device name on Windows$/) as string,
  });
});
