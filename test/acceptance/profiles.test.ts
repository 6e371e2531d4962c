import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { openTerminal } from '../support/terminal.ts';
import { streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

/** Two services, each with a profile and a key. */
async function twoProfiles() {
  const [work, home] = [await serve([[streamed('Work')]]), await serve([[streamed('Home')]])];
  const env = { HOME: temporaryHome() };
  const run = (...words: string[]) => runInMemory(words, { env });
  for (const [name, { url }] of [['work', work] as const, ['home', home] as const]) {
    await runInMemory(['auth', 'login', '--no-check', '--profile', name, '--base-url', url], {
      env,
      input: `nk-${name}`,
    });
  }
  return { env, run, work, home };
}

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

test('the sandbox that answers without a service has a notice with the other profile', async () => {
  const { env, run } = await twoProfiles();
  await run('config', 'remove-profile', 'home');
  const terminal = openTerminal(['hi there'], { env });
  await terminal.exit;
  expect((await terminal.transcript()).replaceAll(/\s+/g, ' ')).toContain(
    'profile default has no service, but work has one; using the sandbox',
  );
});

test('a conversation without a service names the other profile', async () => {
  const { env, run } = await twoProfiles();
  await run('config', 'remove-profile', 'home');
  const terminal = openTerminal([], { env });
  const screen = await terminal.waitFor(/but work has one[^]*config use work/);
  expect(screen).toContain('profile default has no service');
});
