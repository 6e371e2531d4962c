import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { configWith } from '../../support/data-folder.ts';
import { folderOf } from '../../support/folder.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';
import { temporaryHome } from '../../support/natter.ts';
import { twoProfiles } from '../../support/profiles.ts';

const wordsOf = (line: string) =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

async function runLine(line: string, options: MemoryOptions = {}) {
  const { context, stdout, stderr } = createMemoryContext(options);
  await runProgram(context, wordsOf(line));
  return { stdout: stdout(), stderr: stderr() };
}

/** Runs command lines in sequence with the same settings. @returns the output of the last one */
async function runLines(lines: readonly string[], options: MemoryOptions = {}) {
  const environment = { NATTER_CONFIG_DIR: folderOf(), ...options.environment };
  let output = { stdout: '', stderr: '' };
  for (const line of lines) output = await runLine(line, { ...options, environment });
  return output;
}

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
  [['config get model --json'], '{\n  "name": "model",\n  "value": "origin",\n  "source": {', ''],
  [['config profiles'], 'default\tcurrent\t\n', ''],
])('%j prints %j and reports %j', async (lines, stdout, stderr) => {
  const output = await runLines(lines);
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
  const { stderr } = await runLines([line]);
  expect(stderr).toContain(`natter: ${notice} profile default\n`);
});

test.each([
  ['default-model', 'model'],
  ['max_tokens', 'max-tokens'],
  ['baseUrl', 'base-url'],
  ['temperature', 'params.temperature'],
  ['bas-url', 'base-url'],
  ['tiemout', 'timeout'],
])('config set %s suggests %s', async (name, known) => {
  await expect(runLines([`config set ${name} x`])).rejects.toMatchObject({
    message: `there is no setting "${name}"`,
    hint: `did you mean ${known}?`,
  });
});

const ada = { homeDirectory: '/home/ada', environment: { HOME: '/home/ada' } };

/** The output of one command line that writes nothing. */
const show = async (line: string, options: MemoryOptions = ada) =>
  (await runLine(line, options)).stdout;

const paths = {
  settings: '/home/ada/.config/natter/config.json',
  credentials: '/home/ada/.config/natter/credentials.json',
  conversations: '/home/ada/.local/share/natter/conversations',
  trash: '/home/ada/.local/share/natter/trash',
  usage: '/home/ada/.local/state/natter/usage',
  state: '/home/ada/.local/state/natter',
  cache: '/home/ada/.cache/natter',
};

test('config paths are rows in a pipe, a table on a terminal, and JSON', async () => {
  const rows = Object.entries(paths);
  const listed = rows.map(([name, path]) => ({ name, path }));
  expect(await show('config paths')).toBe(rows.map((row) => `${row.join('\t')}\n`).join(''));
  expect(await show('config paths --color never', { ...ada, terminals: ['stdout'] })).toBe(
    [['NAME', 'PATH'], ...rows].map(([name = '', path]) => `${name.padEnd(15)}${path}\n`).join(''),
  );
  expect(JSON.parse(await show('config paths --json'))).toEqual(listed);
  for (const { name, path } of listed) {
    expect(await show(`config paths ${name}`)).toBe(`${path}\n`);
    expect(JSON.parse(await show(`config paths ${name} --json`))).toEqual({ name, path });
  }
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

test('config get of a setting without a value is not_found', async () => {
  const result = await runInMemory(['config', 'get', 'system']);
  expectFailure(result, 6, 'natter config set system <value>');
});

test('config list prints rows with sources in a pipe, and a table on a terminal', async () => {
  const { stdout } = await runLines([set, 'config list']);
  expect(stdout).toContain('model\tnextgen\tprofile default\n');
  const table = await runLines(['config list --no-input'], { terminals: ['stdout'] });
  expect(table.stdout).toContain('SETTING');
  expect(table.stdout).toMatch(/^model +origin +default$/m);
});

test('config path names the file of the settings; a bad value in it is reported with what removes it', async () => {
  const env = { HOME: temporaryHome() };
  const run = (...words: string[]) => runInMemory(words, { env });
  const path = (await run('config', 'path')).stdout.trimEnd();
  await run('config', 'set', 'timeout', '5');
  const stored = readFileSync(path, 'utf8');
  expect(JSON.parse(stored)).toEqual({ version: 1, profiles: { default: { timeout: '5s' } } });
  writeFileSync(path, stored.replace('"5s"', '"soon"'));
  const unset = ['config', 'unset', 'timeout', '--profile', 'default'];
  const message = 'timeout in profile default must be a duration';
  expectFailure(await run('hi'), 3, message, `natter ${unset.join(' ')}`);
  expect((await run(...unset)).code).toBe(0);
});

test('escape sequences in a stored value are not printed', async () => {
  const lines = ['config set system "a\u001B[31mb\u0007"'];
  for (const line of ['config list', 'config get system']) {
    expect((await runLines([...lines, line])).stdout).not.toMatch(/[\u001B\u0007]/);
  }
});

test('--profile and config use select the service and its key', async () => {
  const { env, run, work, home } = await twoProfiles();
  expect((await run('--profile', 'work', 'hi')).stdout).toBe('Work\n');
  expect(work.requests[0]?.headers['authorization']).toBe('Bearer nk-work');
  expect((await run('config', 'use', 'home')).stderr).toBe('natter: home is the current profile\n');
  expect((await run('hi')).stdout).toBe('Home\n');
  expect(home.requests[0]?.headers['authorization']).toBe('Bearer nk-home');
  const byVariable = { env: { ...env, NATTER_PROFILE: 'work' } };
  const { stderr } = await runInMemory(['config', 'use', 'home'], byVariable);
  expect(stderr).toContain('NATTER_PROFILE is set and overrides it');
});

test('config profiles shows the current profile and the keys, remove-profile what it removed', async () => {
  const { run } = await twoProfiles();
  await run('config', 'use', 'work');
  expect((await run('config', 'profiles')).stdout).toBe(
    'default\t\t\nhome\t\tkey stored\nwork\tcurrent\tkey stored\n',
  );
  const { stdout } = await run('config', 'profiles', '--json');
  expect(JSON.parse(stdout)).toContainEqual({ name: 'work', current: true, has_key: true });
  expect((await run('config', 'remove-profile', 'work')).stderr).toBe(
    'natter: removed profile work and its key\n',
  );
});

test('login to a profile that is not current suggests config use', async () => {
  const env = { HOME: temporaryHome() };
  const words = ['auth', 'login', '--no-check', '--base-url', 'https://a.example'];
  const login = await runInMemory([...words, '--profile', 'work'], { env, input: 'nk-key' });
  expect(login.stderr).toContain('natter config use work');
  await runInMemory(['config', 'use', 'work'], { env });
  const again = await runInMemory([...words, '--profile', 'work'], { env, input: 'nk-key' });
  expect(again.stderr).not.toContain('config use');
});

test.each([
  [['--profile', 'work'], {}],
  [[], { NATTER_PROFILE: 'work' }],
])('--sandbox uses only the terminal settings of a profile: %j %j', async (flags, of) => {
  const { env, run } = await twoProfiles();
  await run('config', 'set', 'wrap', 'none', '--profile', 'work');
  await run('config', 'set', 'max-tokens', '7', '--profile', 'work');
  const words = ['--sandbox', ...flags, '--dry-run', 'hi'];
  const { stdout } = await runInMemory(words, { env: { ...env, ...of } });
  const { settings, profile } = JSON.parse(stdout) as {
    readonly settings: readonly { readonly name: string; readonly value: unknown }[];
    readonly profile: { readonly name: string; readonly source: string };
  };
  expect(profile).toEqual({ name: 'default', source: 'default' });
  const valueOf = (wanted: string) => settings.find(({ name }) => name === wanted)?.value ?? null;
  const values = ['wrap', 'max-tokens', 'base-url', 'api-key'].map(valueOf);
  expect(values).toEqual(['none', null, null, null]);
});

test('--sandbox works with a damaged settings file, with a warning', async () => {
  const { env } = await twoProfiles();
  writeFileSync(join(env.HOME, '.config/natter/config.json'), '{');
  const { code, stderr } = await runInMemory(['--sandbox', 'hi'], { env });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^natter: warning: .*; the sandbox uses the default settings\n/);
});

test('a prompt without a service names the profiles that have one', async () => {
  const { run } = await twoProfiles();
  const problem = 'natter: profile default has no service; those with one: home, work\n';
  expectFailure(await run('hi'), 3, `${problem}  natter config use home\n`);
});

test('NATTER_ACCESSIBLE is true or false', async () => {
  const run = (value: string) =>
    runInMemory(['--sandbox', 'hi'], { env: { NATTER_ACCESSIBLE: value } });
  expectFailure(await run('maybe'), 3, 'natter: NATTER_ACCESSIBLE must be true or false\n');
  expect(await run('false')).toMatchObject({ code: 0 });
});

const editorKey = 'config set keys.open-editor Ctrl-X,f4';

test('keys are stored in one spelling, and config keys lists them', async () => {
  expect((await runLines([editorKey])).stderr).toBe(
    'natter: keys.open-editor is set to ctrl+x f4 in profile default\n',
  );
  expect((await runLines([editorKey, 'config get keys.open-editor'])).stdout).toBe('ctrl+x f4\n');
  const { stdout } = await runLines([editorKey, 'config keys']);
  expect(stdout).toContain('open-editor\tCtrl+X, F4\tprofile default\tedit the draft');
  expect(stdout).toContain('search-start\tCtrl+R\tdefault\tsearch the prompt history;');
  const { stdout: json } = await runLines([editorKey, 'config keys --json']);
  expect(JSON.parse(json)).toContainEqual({
    action: 'open-editor',
    keys: ['ctrl+x', 'f4'],
    context: 'composer',
    summary: 'edit the draft in $VISUAL or $EDITOR',
    source: { kind: 'profile', name: 'default' },
  });
});

test('a default key that has a new action is not returned to the old one', async () => {
  const lines = [
    'config set keys.open-editor none',
    'config set keys.undo ctrl+g',
    'config unset keys.open-editor',
  ];
  await expect(runLines(lines)).rejects.toMatchObject({
    kind: 'usage',
    message: 'keys.undo: ctrl+g is the key of open-editor, too',
    hint: 'natter config set keys.open-editor none, or a different key, frees it',
  });
});

test('one of several unusable keys is named, can be removed, and can be replaced', async () => {
  const keys = { undo: 'hyper+x', redo: 'q', nope: 'f4' };
  const options = { environment: { NATTER_CONFIG_DIR: configWith({ default: { keys } }) } };
  const list = (line: string) => runLines([line, 'config keys'], options);
  await expect(runLines(['config keys'], options)).rejects.toMatchObject({
    message: 'keys.undo: "hyper+x" is not a key',
    hint: 'natter config unset keys.undo --profile default removes it',
  });
  await expect(list('config set keys.undo f5')).rejects.toThrow('keys.redo: q types text');
  await expect(list('config unset keys.redo')).rejects.toThrow('no key action "nope"');
  expect((await list('config unset keys.nope')).stdout).toContain('undo\tF5\tprofile default');
});
