import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cleanEnvironment, temporaryHome } from '../support/natter.ts';

/** Node 22.1 or later. */
const hasCache = 'enableCompileCache' in module;

const start = `require(${JSON.stringify(resolve('bin/natter.cjs'))})`;
/** Prints the folder that natter gives to Node, in place of the program. */
const printFolder = `
  require('node:module').enableCompileCache = (folder) => {
    process.stdout.write(folder);
    process.exit();
  };
  ${start}`;
/** natter runs as a different account than the owner of the files. */
const asOtherUser = `process.geteuid = () => 4_000_000; ${printFolder}`;

/** The command that loads the fewest files. */
const details = ['--version', '--verbose'];

async function run(
  home: string,
  env: Readonly<Record<string, string>> = {},
  program = start,
  words: readonly string[] = details,
): Promise<string> {
  // Node checks whether this variable is there, not its value.
  const { NODE_DISABLE_COMPILE_CACHE: _off, ...clean } = cleanEnvironment({ HOME: home });
  const environment = { ...clean, ...env };
  // The time limit turns an endless run into a failure.
  const options = { env: environment, timeout: 20_000 };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['-e', program, 'natter', ...words],
    options,
  );
  return stdout;
}

const folderOf = (home: string) => join(home, '.cache/natter');

test("Node caches in natter's own folder, which only the user can read", async () => {
  const home = temporaryHome();
  expect(await run(home, {}, printFolder)).toBe(folderOf(home));
  expect(statSync(folderOf(home)).mode & 0o777).toBe(0o700);
});

test('XDG_CACHE_HOME moves the cache', async () => {
  const [home, other] = [temporaryHome(), temporaryHome()];
  expect(await run(home, { XDG_CACHE_HOME: other }, printFolder)).toBe(join(other, 'natter'));
  expect(readdirSync(home)).toEqual([]);
});

test('the folder for caches may be a symbolic link', async () => {
  const home = temporaryHome();
  mkdirSync(join(home, 'disk'));
  symlinkSync(join(home, 'disk'), join(home, '.cache'));
  expect(await run(home, {}, printFolder)).toBe(join(home, 'disk/natter'));
});

describe('natter starts without a cache', () => {
  test.each([
    ['with the cache turned off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
    ["with the user's own cache for all programs", { NODE_COMPILE_CACHE: '/tmp/other' }],
    ['without a home folder', { HOME: '' }],
  ])('%s', async (_name, env) => {
    const home = temporaryHome();
    expect(await run(home, env, printFolder)).toMatch(/^natter +\d/);
    expect(readdirSync(home)).toEqual([]);
  });

  test('X1: in a folder of another account', async () => {
    const home = temporaryHome();
    await run(home, {}, printFolder);
    expect(await run(home, {}, asOtherUser)).toMatch(/^natter +\d/);
  });

  test.each([
    ['the folder', ['.cache', 'natter'], 0o777],
    ['the folder, for reading,', ['.cache', 'natter'], 0o755],
    ['the folder for caches', ['.cache'], 0o770],
    ['the home folder', [], 0o777],
  ])('X1: if %s is open to others', async (_name, parts, mode) => {
    const home = temporaryHome();
    await run(home, {}, printFolder);
    chmodSync(join(home, ...parts), mode);
    expect(await run(home, {}, printFolder)).toMatch(/^natter +\d/);
  });

  test('X1: if its own folder is a symbolic link', async () => {
    const home = temporaryHome();
    await run(home, {}, printFolder);
    renameSync(folderOf(home), join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), folderOf(home));
    expect(await run(home, {}, printFolder)).toMatch(/^natter +\d/);
  });

  test('if a file is in place of the folder', async () => {
    const home = temporaryHome();
    writeFileSync(join(home, '.cache'), '');
    expect(await run(home, {}, printFolder)).toMatch(/^natter +\d/);
  });

  test.each([
    ['HOME', '/proc'],
    ['XDG_CACHE_HOME', '/proc/x'],
  ])('X9: with %s=%s', async (variable, folder) => {
    const home = temporaryHome();
    expect(await run(home, { [variable]: folder }, printFolder)).toMatch(/^natter +\d/);
  });
});

test('X1: a private folder in a sticky folder is used, even if that is open to others', async () => {
  const home = temporaryHome();
  chmodSync(home, 0o1777);
  expect(await run(home, {}, printFolder)).toBe(folderOf(home));
});

/** The files of compiled code, in Node's own folders. */
const cachedFiles = (home: string): readonly string[] =>
  existsSync(folderOf(home))
    ? readdirSync(folderOf(home), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];

test('F1: natter runs after damage to any file of the cache, which a Node without one does not write', async () => {
  const home = temporaryHome();
  const first = await run(home);
  expect(first).toMatch(/^natter +\d/);
  const files = cachedFiles(home);
  expect(files.length > 0).toBe(hasCache);
  for (const path of files) {
    const whole = readFileSync(path);
    for (const place of [0, 8, 20, Math.floor(whole.length / 2), whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      expect(await run(home)).toBe(first);
    }
    writeFileSync(path, whole.subarray(0, Math.floor(whole.length / 2)));
    expect(await run(home)).toBe(first);
  }
});
