import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../../support/in-memory.ts';
import { temporaryHome } from '../../support/natter.ts';
import { twoProfiles, openColorProfile } from '../../support/profiles.ts';

/** Runs natter repeatedly in one home. */
function inOneHome() {
  const env = { HOME: temporaryHome() };
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
  ['headers.authorization', 'Bearer x', 'the header authorization is set by natter itself'],
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

test('--profile, NATTER_PROFILE and config use select the service and its key, in this order', async () => {
  const { env, run, work, home } = await twoProfiles();
  expect((await run('--profile', 'work', 'hi')).stdout).toBe('Work\n');
  expect(work.requests[0]?.headers['authorization']).toBe('Bearer nk-work');
  expect(await run('config', 'use', 'home')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'natter: home is the current profile\n',
  });
  expect((await run('hi')).stdout).toBe('Home\n');
  expect(home.requests[0]?.headers['authorization']).toBe('Bearer nk-home');
  const byVariable = { ...env, NATTER_PROFILE: 'work' };
  expect((await runInMemory(['hi'], { env: byVariable })).stdout).toBe('Work\n');
  expect((await runInMemory(['hi', '--profile', 'home'], { env: byVariable })).stdout).toBe(
    'Home\n',
  );
});

test('config profiles shows the current profile, and which have keys', async () => {
  const { run } = await twoProfiles();
  await run('config', 'use', 'work');
  expect((await run('config', 'profiles')).stdout).toBe(
    'default\t\t\nhome\t\tkey stored\nwork\tcurrent\tkey stored\n',
  );
  expect(JSON.parse((await run('config', 'profiles', '--json')).stdout)).toContainEqual({
    name: 'work',
    current: true,
    has_key: true,
  });
});

test('remove-profile deletes the profile and its key, and the default profile becomes current', async () => {
  const { run } = await twoProfiles();
  await run('config', 'use', 'work');
  expect((await run('config', 'remove-profile', 'work')).stderr).toBe(
    'natter: removed profile work and its key\n',
  );
  expect((await run('config', 'profiles')).stdout).toBe('default\tcurrent\t\nhome\t\tkey stored\n');
});

test.each([
  ['a prompt', ['hi', '--profile', 'wrok']],
  ['config use', ['config', 'use', 'wrok']],
  ['config remove-profile', ['config', 'remove-profile', 'wrok']],
  ['auth status', ['auth', 'status', '--profile', 'wrok']],
])('an unknown profile in %s is reported with the existing ones', async (_, words) => {
  const { code, stderr } = await runInMemory(words);
  expect(code).toBe(3);
  expect(stderr).toBe('natter: there is no profile "wrok"\n  the profiles are default\n');
});

test.each(['', '../x', '/etc/passwd', 'a b', 'x'.repeat(65), '-x', '__proto__', 'é'])(
  'K26 %j is not a valid profile name',
  async (name) => {
    const words = ['config', 'set', 'model', 'x', `--profile=${name}`];
    const { code, stderr } = await runInMemory(words);
    expect(code).toBe(2);
    expect(stderr).toContain('is not a profile name');
  },
);

test('login to a profile that is not current suggests config use', async () => {
  const env = { HOME: temporaryHome() };
  const words = ['auth', 'login', '--no-check', '--base-url', 'https://a.example'];
  const login = await runInMemory([...words, '--profile', 'work'], { env, input: 'nk-key' });
  expect(login.stderr).toContain('natter config use work');
  await runInMemory(['config', 'use', 'work'], { env });
  const again = await runInMemory([...words, '--profile', 'work'], { env, input: 'nk-key' });
  expect(again.stderr).not.toContain('config use');
});

test('config use warns if NATTER_PROFILE overrides it', async () => {
  const { env } = await twoProfiles();
  const { stderr } = await runInMemory(['config', 'use', 'work'], {
    env: { ...env, NATTER_PROFILE: 'home' },
  });
  expect(stderr).toContain('NATTER_PROFILE is set and overrides it');
});

test('--sandbox ignores the services of profiles', async () => {
  const { env, work } = await twoProfiles();
  const words = ['--sandbox', '[sandbox echo] hello'];
  const { code, stdout } = await runInMemory(words, { env: { ...env, NATTER_PROFILE: 'work' } });
  expect(code).toBe(0);
  expect(stdout).toContain('hello');
  expect(work.connections()).toBe(0);
});

test('--sandbox uses the settings of a profile for the terminal', async () => {
  const { env } = await twoProfiles();
  const run = (...words: readonly string[]) => runInMemory(words, { env });
  await run('config', 'set', 'wrap', 'none', '--profile', 'work');
  await run('config', 'set', 'max-tokens', '7', '--profile', 'work');
  const words = ['--sandbox', '--profile', 'work', '--dry-run', 'hi'];
  const { settings, profile } = JSON.parse((await run(...words)).stdout) as {
    readonly settings: readonly { readonly name: string; readonly value: unknown }[];
    readonly profile: { readonly name: string; readonly source: string };
  };
  expect(profile).toEqual({ name: 'default', source: 'default' });
  const valueOf = (wanted: string) => settings.find(({ name }) => name === wanted)?.value;
  expect([valueOf('wrap'), valueOf('max-tokens') ?? null]).toEqual(['none', null]);
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
  expect(await run('hi')).toMatchObject({
    code: 3,
    stderr:
      'natter: profile default has no service, but home, work have one\n' +
      '  natter config use home or natter config use work\n',
  });
  await run('config', 'remove-profile', 'home');
  expect((await run('hi')).stderr).toBe(
    'natter: profile default has no service, but work has one\n  natter config use work\n',
  );
});

test('a bad colour and an unknown part are refused', async () => {
  const env = await openColorProfile();
  const bad = await runInMemory(['config', 'set', 'colors.code', 'redd'], { env });
  expect([bad.code, bad.stderr]).toEqual([
    2,
    'natter: colors.code must be a colour such as red, bright-blue, #5fafd7 or default, with bold, italic or underline if wanted, as in "red bold"\n',
  ]);
  const part = await runInMemory(['config', 'set', 'colors.cod', 'red'], { env });
  expect([part.code, part.stderr.split('\n')[0]]).toEqual([
    2,
    'natter: "cod" is not a part of an answer with a colour',
  ]);
});

test('NATTER_ACCESSIBLE is true or false', async () => {
  const run = (value: string) =>
    runInMemory(['--sandbox', 'hi'], { env: { NATTER_ACCESSIBLE: value } });
  expect(await run('maybe')).toMatchObject({
    code: 3,
    stderr: 'natter: NATTER_ACCESSIBLE must be true or false\n',
  });
  expect(await run('false')).toMatchObject({ code: 0 });
});
