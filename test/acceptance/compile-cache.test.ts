import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { cleanEnvironment, temporaryHome } from '../support/natter.ts';

const folderOf = (home: string) =>
  join(home, '.cache/natter', `${process.version}-${process.arch}`);

const launch = `require(${JSON.stringify(resolve('bin/natter.cjs'))})`;
/** natter runs as a different account than the owner of the files. */
const launchAsOtherUser = `process.geteuid = () => 4_000_000; ${launch}`;

/** The command that loads the fewest chunks. */
const details = ['--version', '--verbose'];

async function run(
  home: string,
  words: readonly string[],
  env: Record<string, string> = {},
  program = launch,
) {
  const environment = cleanEnvironment({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '', ...env });
  const script = ['-e', program, 'natter', ...words];
  // The time limit turns an endless run into a failure.
  return promisify(execFile)(process.execPath, script, { env: environment, timeout: 20_000 });
}

function cached(home: string): readonly string[] {
  return existsSync(folderOf(home)) ? readdirSync(folderOf(home)).toSorted() : [];
}

test('a successful run caches its compiled chunks, readable by their owner only', async () => {
  const home = temporaryHome();
  const first = await run(home, ['config', 'list']);
  const files = cached(home);
  expect(files).toContain('main.cjs');
  expect(statSync(folderOf(home)).mode & 0o777).toBe(0o700);
  expect(statSync(join(folderOf(home), 'main.cjs')).mode & 0o777).toBe(0o600);
  expect(await run(home, ['config', 'list'])).toEqual(first);
});

test('chunks are written three times, and again by a run that loads a new one', async () => {
  const home = temporaryHome();
  const time = () => statSync(join(folderOf(home), 'main.cjs')).mtimeMs;
  for (let start = 0; start < 3; start += 1) await run(home, details);
  const third = time();
  await run(home, details);
  expect(time()).toBe(third);
  await run(home, ['config', 'list']);
  expect(time()).toBeGreaterThan(third);
});

test('the next start uses the cache of a run with a long answer', async () => {
  const home = temporaryHome();
  const time = () => statSync(join(folderOf(home), 'main.cjs')).mtimeMs;
  const long = ['--sandbox', '--no-stdin', '[sandbox million tokens=20000]'];
  for (let start = 0; start < 3; start += 1) {
    expect((await run(home, long)).stdout.length).toBeGreaterThan(65_536);
  }
  const third = time();
  await run(home, long);
  // Data that V8 refuses would be written again.
  expect(time()).toBe(third);
});

test('data for a different source, and truncated data, is replaced', async () => {
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
  // The hash of V8's version is the second word of its data, after a header of 16 bytes.
  foreign.writeUInt32LE(foreign.readUInt32LE(20) + 1, 20);
  writeFileSync(path, foreign);
  await run(home, details);
  expect(readFileSync(path).readUInt32LE(20)).not.toBe(foreign.readUInt32LE(20));
});

test('a failed run caches nothing, and its failure is the same', async () => {
  const home = temporaryHome();
  await expect(run(home, ['--bogus'])).rejects.toMatchObject({ code: 2 });
  expect(cached(home)).toEqual([]);
});

test.each([
  ['with the cache turned off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ['without a home folder', { HOME: '' }],
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

test('a file in place of the folder does no harm', async () => {
  const home = temporaryHome();
  writeFileSync(join(home, '.cache'), '');
  chmodSync(join(home, '.cache'), 0o400);
  expect((await run(home, details)).stdout).toMatch(/^natter +\d/);
});

test('a chunk that cannot be cached leaves no temporary file', async () => {
  const home = temporaryHome();
  // A chunk can be written, but not renamed into place.
  mkdirSync(join(folderOf(home), 'main.cjs'), { recursive: true, mode: 0o700 });
  expect((await run(home, details)).stdout).toMatch(/^natter +\d/);
  expect(cached(home).filter((name) => !name.endsWith('.cjs'))).toEqual([]);
});

/** Replaces V8's data of a cached chunk with that of different code: V8 compares only the lengths of sources. */
function forge(path: string): void {
  const file = readFileSync(path);
  const textLength = file.readUInt32LE(4);
  const text = file.subarray(-textLength);
  const code = "(function () { process.stdout.write('forged') })";
  const wrapped = '(function (exports, require, module, __filename, __dirname) { \n})'.length;
  const data = new Script(code.padEnd(textLength + wrapped)).createCachedData();
  const head = Buffer.from(file.subarray(0, 16));
  head.writeUInt32LE(data.length, 0);
  writeFileSync(path, Buffer.concat([head, data, text]));
}

/** A home whose cached `main.cjs` is different code. */
async function forgedHome(): Promise<string> {
  const home = temporaryHome();
  await run(home, details);
  forge(join(folderOf(home), 'main.cjs'));
  return home;
}

async function expectNoCache(
  home: string,
  env: Record<string, string> = {},
  program = launch,
): Promise<void> {
  const main = join(folderOf(home), 'main.cjs');
  const before = readFileSync(main);
  expect((await run(home, details, env, program)).stdout).toMatch(/^natter +\d/);
  expect(readFileSync(main).equals(before)).toBe(true);
}

test('cached code in a private folder is run', async () => {
  expect((await run(await forgedHome(), details)).stdout).toBe('forged');
});

test('X1: code cached by another account is not run', async () => {
  await expectNoCache(await forgedHome(), {}, launchAsOtherUser);
});

test.each([
  ['the folder', ['.cache/natter', `${process.version}-${process.arch}`], 0o777],
  ['the folder, for reading,', ['.cache/natter', `${process.version}-${process.arch}`], 0o755],
  ['the folder above', ['.cache', 'natter'], 0o777],
  ['the folder for caches', ['.cache'], 0o770],
  ['the home folder', [], 0o777],
])('X1: if %s is open to others, there is no cache', async (_name, parts, mode) => {
  const home = await forgedHome();
  chmodSync(join(home, ...parts), mode);
  await expectNoCache(home);
});

test('X1: a private folder in a sticky folder is used, even if that is open to others', async () => {
  const home = temporaryHome();
  chmodSync(home, 0o1777);
  await run(home, details);
  expect(cached(home)).toContain('main.cjs');
});

test('X1: a file that others can write is not used, even in a private folder', async () => {
  const home = await forgedHome();
  chmodSync(join(folderOf(home), 'main.cjs'), 0o666);
  expect((await run(home, details)).stdout).toMatch(/^natter +\d/);
});

test.each([
  ['natter', ['.cache', 'natter']],
  ['for a version of Node', ['.cache', 'natter', `${process.version}-${process.arch}`]],
])('X1: a folder %s that is a symbolic link is not followed', async (_name, parts) => {
  const home = await forgedHome();
  const folder = join(home, ...parts);
  renameSync(folder, join(home, 'elsewhere'));
  symlinkSync(join(home, 'elsewhere'), folder);
  await expectNoCache(home);
});

test('the folder for caches may be a symbolic link', async () => {
  const home = temporaryHome();
  mkdirSync(join(home, 'disk'));
  symlinkSync(join(home, 'disk'), join(home, '.cache'));
  await run(home, details);
  expect(cached(home)).toContain('main.cjs');
});

test('X1: the folder for temporary files is not used', async () => {
  const [home, temporary] = [temporaryHome(), temporaryHome()];
  await run(home, details, { TMPDIR: temporary });
  expect(readdirSync(temporary)).toEqual([]);
  expect(cached(home)).toContain('main.cjs');
});

test.each([
  ['HOME', '/proc'],
  ['XDG_CACHE_HOME', '/proc/x'],
  ['NODE_COMPILE_CACHE', '/proc/self/x'],
])('X9: with %s=%s natter answers and exits', async (variable, folder) => {
  const { stdout } = await run(temporaryHome(), details, { [variable]: folder });
  expect(stdout).toMatch(/^natter +\d/);
});
