import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cleanEnvironment, temporaryHome } from '../support/natter.ts';

const folderOf = (home: string) =>
  join(home, '.cache/natter', `${process.version}-${process.arch}`);

/** The launcher as on Node 20, on whatever Node runs the tests. */
const launch = `
  require('node:module').enableCompileCache = undefined;
  require(${JSON.stringify(resolve('bin/natter.cjs'))});
`;

/** The command that loads least of natter. */
const details = ['--version', '--verbose'];

async function run(home: string, words: readonly string[], env: Record<string, string> = {}) {
  const environment = cleanEnvironment({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '', ...env });
  const script = ['-e', launch, 'natter', ...words];
  return promisify(execFile)(process.execPath, script, { env: environment });
}

function cached(home: string): readonly string[] {
  return existsSync(folderOf(home)) ? readdirSync(folderOf(home)).toSorted() : [];
}

test('a start that worked leaves its compiled chunks for the next, for their owner alone', async () => {
  const home = temporaryHome();
  const first = await run(home, ['help', 'piping']);
  const files = cached(home);
  expect(files).toContain('main.cjs');
  expect(statSync(folderOf(home)).mode & 0o777).toBe(0o700);
  expect(statSync(join(folderOf(home), 'main.cjs')).mode & 0o777).toBe(0o600);
  expect(await run(home, ['help', 'piping'])).toEqual(first);
});

test('chunks are written three times, and again by a run that loads another', async () => {
  const home = temporaryHome();
  const time = () => statSync(join(folderOf(home), 'main.cjs')).mtimeMs;
  for (let start = 0; start < 3; start += 1) await run(home, details);
  const third = time();
  await run(home, details);
  expect(time()).toBe(third);
  await run(home, ['help', 'piping']);
  expect(time()).toBeGreaterThan(third);
});

test('what a long answer leaves is taken by the next start', async () => {
  const home = temporaryHome();
  const time = () => statSync(join(folderOf(home), 'main.cjs')).mtimeMs;
  const long = ['--sandbox', '--no-stdin', '[sandbox million tokens=20000]'];
  for (let start = 0; start < 3; start += 1) {
    expect((await run(home, long)).stdout.length).toBeGreaterThan(65_536);
  }
  const third = time();
  await run(home, long);
  // Data that V8 refused would be written anew.
  expect(time()).toBe(third);
});

test('data for another text, and data that was cut, is replaced', async () => {
  const home = temporaryHome();
  const { stdout } = await run(home, details);
  const path = join(folderOf(home), 'main.cjs');
  const whole = readFileSync(path);
  const changed = Buffer.from(whole);
  changed[whole.length - 2] = 0x20;
  for (const damaged of [changed, whole.subarray(0, -100), Buffer.alloc(0)]) {
    writeFileSync(path, damaged);
    expect((await run(home, details)).stdout).toBe(stdout);
    const replaced = readFileSync(path);
    expect(replaced.length).toBeGreaterThan(whole.length / 2);
    expect(replaced.equals(damaged)).toBe(false);
  }
});

test('data that V8 refuses is replaced', async () => {
  const home = temporaryHome();
  await run(home, details);
  const path = join(folderOf(home), 'main.cjs');
  const foreign = readFileSync(path);
  // The hash of V8's version is the second word of its data, after a head of 16 bytes.
  foreign.writeUInt32LE(foreign.readUInt32LE(20) + 1, 20);
  writeFileSync(path, foreign);
  await run(home, details);
  expect(readFileSync(path).readUInt32LE(20)).not.toBe(foreign.readUInt32LE(20));
});

test('a run that failed leaves nothing, and its failure is the same', async () => {
  const home = temporaryHome();
  await expect(run(home, ['--bogus'])).rejects.toMatchObject({ code: 2 });
  expect(cached(home)).toEqual([]);
});

test.each([
  ['switched off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ['without a home', { HOME: '' }],
])('%s, natter starts without a cache', async (_name, env) => {
  const home = temporaryHome();
  expect((await run(home, details, env)).stdout).toMatch(/^natter +\d/);
  expect(readdirSync(home)).toEqual([]);
});

test.each(['NODE_COMPILE_CACHE', 'XDG_CACHE_HOME'])('%s moves the cache', async (variable) => {
  const [home, other] = [temporaryHome(), temporaryHome()];
  await run(home, details, { [variable]: other });
  expect(readdirSync(home)).toEqual([]);
  expect(readdirSync(join(other, 'natter'))).toEqual([`${process.version}-${process.arch}`]);
});

test('a folder that is a file does no harm', async () => {
  const home = temporaryHome();
  writeFileSync(join(home, '.cache'), '');
  chmodSync(join(home, '.cache'), 0o400);
  expect((await run(home, details)).stdout).toMatch(/^natter +\d/);
});

test('what cannot be kept leaves nothing half done', async () => {
  const home = temporaryHome();
  // A chunk can be written, and not take its name.
  mkdirSync(join(folderOf(home), 'main.cjs'), { recursive: true });
  expect((await run(home, details)).stdout).toMatch(/^natter +\d/);
  expect(cached(home).filter((name) => !name.endsWith('.cjs'))).toEqual([]);
});
