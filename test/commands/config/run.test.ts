import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../../src/commands/program/program.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';

/** Runs command lines in sequence with the same settings. @returns the output of the last one */
async function run(lines: readonly string[], options: MemoryOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'natter-config-'));
  let output = { stdout: '', stderr: '' };
  for (const line of lines) {
    const environment = { NATTER_CONFIG_DIR: folder, ...options.environment };
    const memory = createMemoryContext({ ...options, environment });
    await runProgram(memory.context, line.split(' '));
    output = { stdout: memory.stdout(), stderr: memory.stderr().replaceAll(folder, '<folder>') };
  }
  return output;
}

const set = 'config set model nextgen';

test.each([
  [[set], '', 'natter: model is set in profile default\n'],
  [[set, 'config get model'], 'nextgen\n', ''],
  [[set, 'config unset model'], '', 'natter: model is no longer set in profile default\n'],
  [['config unset model'], '', 'natter: model was not set in profile default\n'],
  [[`${set} --profile work`], '', 'natter: model is set in profile work\n'],
  [[`${set} --profile work`, 'config get model'], 'origin\n', ''],
  [[`${set} --profile work`, 'config use work', 'config get model'], 'nextgen\n', ''],
  [[`${set} -q`], '', ''],
  [['config get model --json'], '{\n  "name": "model",\n  "value": "origin"', ''],
  [['config profiles'], 'default\tcurrent\t\n', ''],
])('%j prints %j and reports %j', async (lines, stdout, stderr) => {
  const output = await run(lines);
  expect(output.stdout.startsWith(stdout)).toBe(true);
  expect(output.stdout === '').toBe(stdout === '');
  expect(output.stderr).toBe(stderr);
});

test('Y14: config list --json and config get --json have typed values', async () => {
  const lines = ['config set params.seed 7', 'config set retries 2', 'config set timeout 90s'];
  const { stdout } = await run([...lines, 'config list --json']);
  const settings = JSON.parse(stdout) as { name: string; value: unknown }[];
  const values = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  expect(values).toMatchObject({ retries: 2, save: true, 'params.seed': 7, timeout: '90s' });
  const one = await run([...lines, 'config get retries --json']);
  expect(JSON.parse(one.stdout)).toMatchObject({ name: 'retries', value: 2 });
});

test('on a terminal, settings are a table with a heading', async () => {
  const { stdout } = await run(['config list --no-input'], { terminals: ['stdout'] });
  expect(stdout).toContain('SETTING');
  expect(stdout).toMatch(/^model +origin +default$/m);
});

test.each([
  ['config get nope', 'there is no setting "nope"'],
  ['config get system', 'the setting system has no value'],
  ['config set timeout soon', 'timeout must be a duration'],
  ['config use nope', 'there is no profile "nope"'],
  ['config remove-profile nope', 'there is no profile "nope"'],
])('%s fails: %s', async (line, message) => {
  await expect(run([line])).rejects.toThrow(message);
});

test('D10 without a home folder, settings have their defaults and cannot be saved', async () => {
  const memory = createMemoryContext();
  await runProgram(memory.context, ['config', 'get', 'model']);
  expect(memory.stdout()).toBe('origin\n');
  await expect(runProgram(memory.context, set.split(' '))).rejects.toMatchObject({
    kind: 'storage',
    hint: expect.stringContaining('NATTER_CONFIG_DIR'),
  });
});
