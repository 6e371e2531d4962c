import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { binary, cleanEnvironment, startNatter, temporaryHome } from '../support/natter.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';

const baseUrl = 'http://127.0.0.1:9';
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A home with a stored key, which no service has checked. */
async function loggedIn() {
  const home = temporaryHome();
  const words = ['auth', 'login', '--no-check', '--base-url', baseUrl];
  const { code } = await runInMemory(words, { env: { HOME: home }, input: secretKey });
  expect(code).toBe(0);
  const folder = join(home, '.config', 'natter');
  return {
    env: { HOME: home },
    folder,
    config: join(folder, 'config.json'),
    credentials: join(folder, 'credentials.json'),
  };
}

test('K3 at umask 000 the files and their folder are accessible to their owner only', async () => {
  const home = temporaryHome();
  const login = `umask 000; printf %s '${secretKey}' | "${process.execPath}" "${binary}" auth login --no-check --base-url ${baseUrl}`;
  await promisify(execFile)('/bin/sh', ['-c', login], { env: cleanEnvironment({ HOME: home }) });
  const folder = join(home, '.config', 'natter');
  expect([
    mode(folder),
    mode(join(folder, 'credentials.json')),
    mode(join(folder, 'config.json')),
  ]).toEqual(['700', '600', '600']);
});

test('K4 a credentials file readable by others is made private, with a warning', async () => {
  const { env, credentials } = await loggedIn();
  chmodSync(credentials, 0o644);
  const status = await runInMemory(['auth', 'status'], { env });
  expect(status.stderr).toContain('others could read');
  expect(status.stderr).toContain('it is private now');
  expect(mode(credentials)).toBe('600');
  const again = await runInMemory(['auth', 'status'], { env });
  expect(again.stderr).toBe(`natter: the key is stored in ${credentials}\n`);
});

test('K5 a symbolic link is followed and kept, and its target is made private', async () => {
  const { env, credentials } = await loggedIn();
  const target = join(temporaryHome(), 'elsewhere.json');
  renameSync(credentials, target);
  symlinkSync(target, credentials);
  chmodSync(target, 0o644);
  const status = await runInMemory(['auth', 'status'], { env });
  expect(status.stdout).toContain('…cret');
  expect(status.stderr).toContain('others could read');
  expect(mode(target)).toBe('600');
  await runInMemory(['auth', 'logout'], { env });
  expect(readFileSync(target, 'utf8')).not.toContain('apiKey');
  expect(readFileSync(credentials, 'utf8')).toBe(readFileSync(target, 'utf8'));
});

test('K6 killed at any moment of config set, natter leaves the old or the new settings', async () => {
  const { env, config } = await loggedIn();
  const long = (letter: string) => letter.repeat(100_000);
  await runInMemory(['config', 'set', 'system', long('a')], { env });
  const seen = new Set<string>();
  for (let delay = 20; delay <= 200; delay += 20) {
    const natter = startNatter(['config', 'set', 'system', `${long('b')}${delay}`], { env });
    const timer = setTimeout(() => natter.child.kill('SIGKILL'), delay);
    await natter.result;
    clearTimeout(timer);
    const { profiles } = JSON.parse(readFileSync(config, 'utf8')) as {
      profiles: { default: { system: string } };
    };
    seen.add(profiles.default.system.replace(/(.)\1+/, '$1').replace(/\d+$/, ''));
  }
  expect([...seen].filter((start) => start !== 'a' && start !== 'b')).toEqual([]);
  const after = await runInMemory(['config', 'set', 'system', 'whole'], { env });
  expect(after.code).toBe(0);
});

test.each([
  ['is truncated', (text: string) => text.slice(0, text.length / 2), 'not valid JSON'],
  ['is empty', () => '', 'it is empty'],
  ['is a list', () => `["${secretKey}"]`, 'is not a JSON object'],
  ['is binary', () => `\0\u0001${secretKey}`, 'not valid JSON'],
])(
  'K7 a credentials file that %s is reported without its content, and not changed',
  async (_, spoil, problem) => {
    const { env, credentials } = await loggedIn();
    const spoiled = spoil(readFileSync(credentials, 'utf8'));
    writeFileSync(credentials, spoiled, { mode: 0o600 });
    for (const words of [['hi'], ['auth', 'status'], ['auth', 'logout']]) {
      const { code, stdout, stderr } = await runInMemory(words, { env });
      expect(code).toBe(3);
      expect(stderr).toContain(credentials);
      expect(stderr).toContain(problem);
      expectNoSecret(stdout, stderr);
    }
    expect(readFileSync(credentials, 'utf8')).toBe(spoiled);
  },
);

test('K7 a byte order mark in the credentials file is ignored', async () => {
  const { env, credentials } = await loggedIn();
  writeFileSync(credentials, `\uFEFF${readFileSync(credentials, 'utf8')}`, { mode: 0o600 });
  const { code, stdout } = await runInMemory(['auth', 'status'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('…cret');
});

test.each(['__proto__', 'params.__proto__', 'headers.__proto__', 'params.constructor'])(
  'K27 the setting %s is refused',
  async (name) => {
    const { env, config } = await loggedIn();
    const before = readFileSync(config, 'utf8');
    const { code } = await runInMemory(['config', 'set', name, '{"polluted":true}'], { env });
    expect(code).toBe(2);
    expect(readFileSync(config, 'utf8')).toBe(before);
  },
);

test('K27 a profile named __proto__ is refused', async () => {
  const words = ['config', 'set', 'model', 'x', '--profile', '__proto__'];
  expect(await runInMemory(words)).toMatchObject({ code: 2, stdout: '' });
});

test('D17 four simultaneous writers lose no setting', async () => {
  const { env, config } = await loggedIn();
  const names = ['one', 'two', 'three', 'four'];
  await Promise.all(
    names.map(async (name) => {
      for (const round of [1, 2]) {
        const words = ['config', 'set', `params.${name}${round}`, String(round)];
        expect(await runInMemory(words, { env })).toMatchObject({ code: 0 });
      }
    }),
  );
  const { profiles } = JSON.parse(readFileSync(config, 'utf8')) as {
    profiles: { default: { params: object } };
  };
  expect(Object.keys(profiles.default.params).sort()).toEqual(
    names.flatMap((name) => [`${name}1`, `${name}2`]).sort(),
  );
});

test('a folder in place of the settings file is a storage failure', async () => {
  const home = temporaryHome();
  mkdirSync(join(home, '.config', 'natter', 'config.json'), { recursive: true });
  const { code, stderr } = await runInMemory(['config', 'list'], { env: { HOME: home } });
  expect(code).toBe(12);
  expect(stderr).toContain('it is a folder');
});
