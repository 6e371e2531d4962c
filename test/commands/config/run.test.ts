import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';
import { runLines as run } from './run-lines.ts';

const set = 'config set model nextgen';

test.each([
  [[set], '', 'natter: model is set to nextgen in profile default\n'],
  [[set, 'config get model'], 'nextgen\n', ''],
  [[set, 'config unset model'], '', 'natter: model is no longer set in profile default\n'],
  [['config unset model'], '', 'natter: model was not set in profile default\n'],
  [[`${set} --profile work`], '', 'natter: model is set to nextgen in profile work\n'],
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

test.each([
  ['config set params.temperature 0.20', 'params.temperature is set to 0.2 in'],
  ['config set base-url 127.0.0.1:8080/v1/', 'base-url is set to http://127.0.0.1:8080/v1/ in'],
  ['config set headers.X-Api-Key nk-secret-0001', 'headers.X-Api-Key is set to … in'],
  ['config set retries 2', 'retries is set to 2 in'],
  [`config set system ${'o'.repeat(80)}`, `system is set to ${'o'.repeat(59)}… in`],
])('%s reports the stored value', async (line, notice) => {
  const { stderr } = await run([line]);
  expect(stderr).toContain(`natter: ${notice} profile default\n`);
});

test.each([
  ['nextgen', ''],
  ['auto', ''],
  ['llama3', ''],
  ['nextgn', 'natter: warning: nextgn is not a known model; did you mean nextgen?\n'],
])('config set model %s without a known service warns: %j', async (model, warning) => {
  const { stderr } = await run([`config set model ${model}`]);
  expect(stderr).toBe(`natter: model is set to ${model} in profile default\n${warning}`);
});

test.each([
  ['llama3', ''],
  ['lama3', 'lama3 is not a known model; did you mean llama3?'],
  ['nextgen', 'nextgen is not a known model of the service; natter models list shows its models'],
])('config set model %s warns if the service has not reported it: %j', async (model, warning) => {
  const state = mkdtempSync(join(tmpdir(), 'natter-state-'));
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'models.json'), '{"http://127.0.0.1:8080":{"llama3":8192}}');
  const lines = ['config set base-url http://127.0.0.1:8080', `config set model ${model}`];
  const { stderr } = await run(lines, { environment: { NATTER_STATE_DIR: state } });
  const [notice, ...warnings] = stderr.trimEnd().split('\n');
  expect(notice).toBe(`natter: model is set to ${model} in profile default`);
  expect(warnings).toEqual(warning === '' ? [] : [`natter: warning: ${warning}`]);
});

test.each([
  ['default-model', 'model'],
  ['max_tokens', 'max-tokens'],
  ['baseUrl', 'base-url'],
  ['temperature', 'params.temperature'],
  ['bas-url', 'base-url'],
  ['tiemout', 'timeout'],
  ['param.top_k', 'params.top_k'],
])('config set %s suggests %s', async (name, known) => {
  await expect(run([`config set ${name} x`])).rejects.toMatchObject({
    message: `there is no setting "${name}"`,
    hint: `did you mean ${known}?`,
  });
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

const home = { homeDirectory: '/home/ada', environment: { HOME: '/home/ada' } };

/** Runs one command line without writing. */
async function show(line: string, options: MemoryOptions = home): Promise<string> {
  const memory = createMemoryContext(options);
  await runProgram(
    memory.context,
    (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')),
  );
  return memory.stdout();
}

const paths = {
  settings: '/home/ada/.config/natter/config.json',
  credentials: '/home/ada/.config/natter/credentials.json',
  conversations: '/home/ada/.local/share/natter/conversations',
  trash: '/home/ada/.local/share/natter/trash',
  usage: '/home/ada/.local/state/natter/usage',
  state: '/home/ada/.local/state/natter',
  cache: '/home/ada/.cache/natter',
};

test('config paths prints each name and path, separated by a tab, into a pipe', async () => {
  const rows = Object.entries(paths).map(([name, path]) => `${name}\t${path}\n`);
  expect(await show('config paths')).toBe(rows.join(''));
});

test('on a terminal, config paths prints a table with a heading', async () => {
  const text = await show('config paths --color never', { ...home, terminals: ['stdout'] });
  const [heading, ...rows] = text.trimEnd().split('\n');
  expect(heading).toBe('NAME           PATH');
  expect(rows).toEqual(Object.entries(paths).map(([name, path]) => name.padEnd(15) + path));
});

test('config paths --json is an array, with a name one object', async () => {
  const all = Object.entries(paths).map(([name, path]) => ({ name, path }));
  expect(JSON.parse(await show('config paths --json'))).toEqual(all);
  const one = { name: 'cache', path: paths.cache };
  expect(JSON.parse(await show('config paths cache --json'))).toEqual(one);
});

test.each(Object.entries(paths))('config paths %s prints only %s', async (name, path) => {
  expect(await show(`config paths ${name}`)).toBe(`${path}\n`);
});

test('config paths with an unknown name is not_found, with the names in its hint', async () => {
  await expect(show('config paths caches')).rejects.toMatchObject({
    kind: 'not_found',
    message: 'there is no path named "caches"',
    hint: 'the names are settings, credentials, conversations, trash, usage, state, cache',
  });
});

test('D10 without a home folder, config paths prints the paths that variables set', async () => {
  const options = { environment: { NATTER_STATE_DIR: '/state' } };
  expect(await show('config paths', options)).toBe('usage\t/state/usage\nstate\t/state\n');
  expect(await show('config paths --json', {})).toBe('[]\n');
});

test.each([
  ['settings', 'set NATTER_CONFIG_DIR'],
  ['trash', 'set NATTER_DATA_DIR'],
  ['state', 'set NATTER_STATE_DIR'],
  ['cache', 'set XDG_CACHE_HOME'],
])('D10 without a home folder, config paths %s fails: %s', async (name, hint) => {
  await expect(show(`config paths ${name}`, {})).rejects.toMatchObject({ kind: 'storage', hint });
});
