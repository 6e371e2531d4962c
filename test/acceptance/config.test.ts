import * as nodeModule from 'node:module';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';

/** Runs natter repeatedly in one home. */
function inOneHome(more: Readonly<Record<string, string>> = {}) {
  const env = { HOME: temporaryHome(), ...more };
  return { env, run: (...words: string[]) => runInMemory(words, { env }) };
}

test('a setting can be set, read, listed and unset', async () => {
  const { run } = inOneHome();
  expect(await run('config', 'set', 'model', 'nextgen')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'natter: model is set to nextgen in profile default\n',
  });
  expect((await run('config', 'get', 'model')).stdout).toBe('nextgen\n');
  expect((await run('config', 'list')).stdout).toContain('model\tnextgen\tprofile default\n');
  expect((await run('config', 'unset', 'model')).stderr).toContain('no longer set');
  expect((await run('config', 'get', 'model')).stdout).toBe('origin\n');
  expect((await run('config', 'unset', 'model')).stderr).toContain('was not set');
});

test.each([
  ['timeout', '90', '90s'],
  ['timeout', '1500ms', '1500ms'],
  ['idle-timeout', '2m', '2m'],
  ['allow-insecure', 'yes', 'true'],
  ['retries', '7', '7'],
  ['max-tokens', '100', '100'],
  ['system', 'Be brief.', 'Be brief.'],
  ['params.temperature', '0.2', '0.2'],
  ['params.stop', '["a"]', '["a"]'],
  ['headers.X-Team', 'blue', 'blue'],
])('after config set %s %s, config get prints %s', async (name, value, shown) => {
  const { run } = inOneHome();
  expect((await run('config', 'set', name, value)).code).toBe(0);
  expect(await run('config', 'get', name)).toMatchObject({ code: 0, stdout: `${shown}\n` });
});

test.each([
  ['timeout', 'soon', 'a duration such as'],
  ['timeout', '-1', 'a duration such as'],
  ['timeout', '30d', 'a duration such as'],
  ['retries', '1.5', 'a whole number from 0 to 100'],
  ['retries', '101', 'a whole number from 0 to 100'],
  ['max-tokens', '0', 'a whole number, 1 or more'],
  ['allow-insecure', 'maybe', 'true or false'],
  ['base-url', 'api.example.com', 'address such as'],
  ['base-url', 'https://x/?key=1', 'address such as'],
  ['model', 'two words', 'an id without spaces'],
  ['params.a', 'two words', 'must be JSON or a single word'],
  ['params.messages', '[]', 'set by natter itself'],
  ['headers.authorization', 'Bearer x', 'carries the API key'],
  ['headers.x', 'two\nlines', 'one line of plain ASCII text'],
  ['colour', 'blue', 'there is no setting "colour"'],
  ['api-key', 'nk-key', 'an API key is not a setting'],
])('config set %s %j is a usage error', async (name, value, problem) => {
  const { code, stderr } = await runInMemory(['config', 'set', name, value]);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('nk-key');
});

test('config get of a setting without a value is not_found', async () => {
  const { code, stdout, stderr } = await runInMemory(['config', 'get', 'system']);
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toContain('natter config set system <value>');
});

test('config get --json has the source', async () => {
  const { stdout } = await runInMemory(['config', 'get', 'model', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    name: 'model',
    value: 'origin',
    source: { kind: 'default', name: 'default' },
  });
});

test('config list --json has every setting', async () => {
  const rows = JSON.parse((await runInMemory(['config', 'list', '--json'])).stdout) as {
    name: string;
  }[];
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['base-url', 'model', 'retries', 'timeout', 'save', 'api-key']),
  );
});

test('config path names the file that config set writes', async () => {
  const { run } = inOneHome();
  const path = (await run('config', 'path')).stdout.trimEnd();
  await run('config', 'set', 'model', 'nextgen');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    version: 1,
    profiles: { default: { model: 'nextgen' } },
  });
});

test('config paths names the files and folders that natter writes', async () => {
  const { run } = inOneHome({ NODE_DISABLE_COMPILE_CACHE: '' });
  const { stdout } = await run('config', 'paths');
  const path = new Map(stdout.split('\n').map((row) => row.split('\t') as [string, string]));
  // Node 20 has no compile cache.
  const cached = 'enableCompileCache' in nodeModule ? ['cache'] : [];
  const written = ['settings', 'conversations', 'trash', ...cached];
  await run('config', 'set', 'model', 'nextgen');
  await run('--sandbox', 'hello');
  await run('conversations', 'delete', 'latest');
  expect(written.filter((name) => !existsSync(path.get(name) ?? ''))).toEqual([]);
  expect((await run('config', 'paths', 'trash')).stdout).toBe(`${path.get('trash')}\n`);
});

test.each([
  ['NATTER_CONFIG_DIR', (base: string) => base],
  ['XDG_CONFIG_HOME', (base: string) => join(base, 'natter')],
])('%s moves the settings', async (variable, folder) => {
  const base = temporaryHome();
  const { stdout } = await runInMemory(['config', 'path'], { env: { [variable]: base } });
  expect(stdout).toBe(`${join(folder(base), 'config.json')}\n`);
});

test('an invalid value in the file is reported, with the command that removes it', async () => {
  const { env, run } = inOneHome();
  await run('config', 'set', 'timeout', '5');
  const path = join(env.HOME, '.config', 'natter', 'config.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"5s"', '"soon"'));
  const { code, stderr } = await run('hi');
  expect(code).toBe(3);
  expect(stderr).toContain('timeout in profile default must be a duration');
  expect(stderr).toContain('natter config unset timeout --profile default');
  expect((await run('config', 'unset', 'timeout', '--profile', 'default')).code).toBe(0);
});

test.each([
  ['NATTER_TIMEOUT', 'soon'],
  ['NATTER_RETRIES', 'many'],
  ['NATTER_BASE_URL', 'api.example'],
  ['NATTER_ALLOW_INSECURE', 'perhaps'],
  ['NATTER_MAX_TOKENS', '-5'],
  ['NATTER_PROFILE', '../x'],
  ['NATTER_CONFIG_DIR', 'relative'],
])('an invalid %s is a configuration error that names it', async (variable, value) => {
  const { code, stderr } = await runInMemory(['hi'], { env: { [variable]: value } });
  expect(code).toBe(3);
  expect(stderr).toContain(variable);
});

test('escape sequences in a stored value are not printed', async () => {
  const { run } = inOneHome();
  await run('config', 'set', 'system', 'a\u001B[31mb\u0007');
  const outputs = [await run('config', 'list'), await run('config', 'get', 'system')];
  for (const { stdout } of outputs) expect(stdout).not.toMatch(/[\u001B\u0007]/);
});
