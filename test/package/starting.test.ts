import { execFile } from 'node:child_process';
import fs from 'node:fs';
import module from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { binary, cleanEnvironment, temporaryHome } from '../support/natter.ts';
import { openTerminal } from '../support/terminal.ts';

/** A folder with natter's first files, but without dist. */
function unbuilt(): string {
  const folder = fs.realpathSync(temporaryHome());
  fs.cpSync('bin', join(folder, 'bin'), { recursive: true });
  fs.cpSync('package.json', join(folder, 'package.json'));
  return folder;
}

function runIn(folder: string, words: readonly string[], cache = '1') {
  const env = cleanEnvironment({ NODE_DISABLE_COMPILE_CACHE: cache });
  const program = [join(folder, 'bin/natter.cjs'), ...words];
  const running = promisify(execFile)(process.execPath, program, { env });
  running.child.stdin?.end();
  return running;
}

test.each(['', '1'])('a natter without built files is reported (cache off: %j)', async (cache) => {
  const folder = unbuilt();
  await expect(runIn(folder, ['hi'], cache)).rejects.toMatchObject({
    code: 3,
    stderr: `natter is incomplete: install it again (no built files in ${folder})\n`,
  });
  // Only a clone has this file.
  fs.writeFileSync(join(folder, 'package-lock.json'), '{}');
  const failure = { code: 3, stdout: '', stderr: `natter is not built: run npm ci in ${folder}\n` };
  for (const words of [['hi'], ['--help'], ['help']]) {
    await expect(runIn(folder, words, cache)).rejects.toMatchObject(failure);
  }
});

/** Runs natter in a Node that reports this version. */
function runAs(version: string, words: readonly string[]) {
  const versions = JSON.stringify({ node: version });
  const script = `
    Object.defineProperty(process, 'versions', { value: ${versions} });
    Object.defineProperty(process, 'version', { value: 'v${version}' });
    require(${JSON.stringify(resolve(binary))});
  `;
  const options = { env: cleanEnvironment() };
  return promisify(execFile)(process.execPath, ['-e', script, 'natter', ...words], options);
}

const oldNodes = ['14.21.3', '16.20.2', '18.20.8', '20.18.3'];

test.each(oldNodes)(
  'Y22: Node %s is reported as too old, without a stack trace',
  async (version) => {
    const problem = `natter needs Node 20.19 or newer; this is v${version}\n`;
    const hint = '  install it from https://nodejs.org or with a version manager\n';
    const failure = { code: 3, stdout: '', stderr: problem + hint };
    for (const words of [['hi'], ['--version']]) {
      await expect(runAs(version, words)).rejects.toMatchObject(failure);
    }
  },
);

test.each(['20.19.0', '22.0.0', '100.0.0'])('Y22: Node %s is new enough', async (version) => {
  expect((await runAs(version, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('Y22: the first file has only syntax that an old Node supports', () => {
  const program = fs.readFileSync(binary, 'utf8').replaceAll(/^(?:#!|\/\/).*$/gm, '');
  expect(program).not.toMatch(
    /\b(?:const|let|class|async|import|export)\b|=>|\?\.|\?\?|`|\.\.\.|node:/,
  );
});

/** An installation that a test may damage. */
function installation(): string {
  const folder = unbuilt();
  fs.cpSync('dist', join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  return folder;
}

const message =
  'natter: natter was updated while it was running, and its files have changed\n' +
  '  start natter again; natter -c continues the conversation\n';

test.each([
  ['a file it needs', ['prompt.js']],
  ['also the file that reports failures', ['prompt.js', 'report.js']],
])('a natter that misses %s reports it, without a stack trace', async (_, names) => {
  const folder = installation();
  for (const name of names) fs.rmSync(join(folder, 'dist', name));
  const failure = { code: 1, stdout: '', stderr: message };
  await expect(runIn(folder, ['--sandbox', 'hello'])).rejects.toMatchObject(failure);
});

test('a conversation continues while natter is updated', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const folder = installation();
  const loaded = join(folder, 'loaded.txt');
  const hook = join(folder, 'hook.mjs');
  fs.writeFileSync(loaded, '');
  const register = join(folder, 'register.mjs');
  const hooking =
    "import { register } from 'node:module'; register('./hook.mjs', import.meta.url);";
  fs.writeFileSync(register, hooking);
  fs.writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      appendFileSync(${JSON.stringify(loaded)}, url + '\\n');
      return loaded;
    }`,
  );
  const command = `${process.execPath} --import ${register} ${join(folder, 'bin/natter.cjs')}`;
  const session = openTerminal([], {
    shell: `exec ${command}`,
    env: { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey },
  });
  await session.waitFor(/›/);
  // Loaded last, after the first frame.
  const preloaded = ['markdown', 'report', 'compile-schema'];
  const isLoaded = (name: string) => fs.readFileSync(loaded, 'utf8').includes(`/${name}.js\n`);
  while (!preloaded.every(isLoaded)) await sleep(20);
  fs.rmSync(join(folder, 'dist'), { recursive: true });
  const enter = async (text: string, answer: RegExp) => {
    session.type(text);
    await session.waitFor(new RegExp(`› ${text.replaceAll(/[[\]]/g, String.raw`\$&`)}`));
    session.type('\r');
    await session.waitFor(answer);
  };
  await enter('hello', /your prompt: hello/);
  await enter('/copy 7', /no code block/);
  await enter('/new', /new conversation[^]*new conversation/);
  await enter('again', /your prompt: again/);
  session.type('\u0004');
  expect((await session.exit).exitCode).toBe(0);
  expect(session.output()).not.toContain('updated while it was running');
});

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

async function runCached(
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
  const [home, other] = [temporaryHome(), temporaryHome()];
  expect(await runCached(home, {}, printFolder)).toBe(folderOf(home));
  expect(fs.statSync(folderOf(home)).mode & 0o777).toBe(0o700);
  const moved = await runCached(temporaryHome(), { XDG_CACHE_HOME: other }, printFolder);
  expect(moved).toBe(join(other, 'natter'));
});

test('the folder for caches may be a symbolic link', async () => {
  const home = temporaryHome();
  fs.mkdirSync(join(home, 'disk'));
  fs.symlinkSync(join(home, 'disk'), join(home, '.cache'));
  expect(await runCached(home, {}, printFolder)).toBe(join(home, 'disk/natter'));
});

describe('natter starts without a cache', () => {
  test.each([
    ['with the cache turned off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
    ["with the user's own cache for all programs", { NODE_COMPILE_CACHE: '/tmp/other' }],
    ['without a home folder', { HOME: '' }],
    ['X9: with a home folder in /proc', { HOME: '/proc' }],
    ['X9: with a folder for caches in /proc', { XDG_CACHE_HOME: '/proc/x' }],
  ])('%s', async (_name, env) => {
    const home = temporaryHome();
    expect(await runCached(home, env, printFolder)).toMatch(/^natter +\d/);
    expect(fs.readdirSync(home)).toEqual([]);
  });

  test('X1: in a folder of another account', async () => {
    const home = temporaryHome();
    await runCached(home, {}, printFolder);
    expect(await runCached(home, {}, asOtherUser)).toMatch(/^natter +\d/);
  });

  const open =
    (mode: number, ...parts: readonly string[]) =>
    (home: string) => {
      fs.chmodSync(join(home, ...parts), mode);
    };

  test.each<[name: string, change: (home: string) => void]>([
    ['X1: if the folder is open to others', open(0o777, '.cache', 'natter')],
    ['X1: if the folder is open to others, for reading', open(0o755, '.cache', 'natter')],
    ['X1: if the folder for caches is open to others', open(0o770, '.cache')],
    ['X1: if the home folder is open to others', open(0o777)],
    [
      'X1: if its own folder is a symbolic link',
      (home) => {
        fs.renameSync(folderOf(home), join(home, 'elsewhere'));
        fs.symlinkSync(join(home, 'elsewhere'), folderOf(home));
      },
    ],
    [
      'if a file is in place of the folder',
      (home) => {
        fs.rmSync(join(home, '.cache'), { recursive: true });
        fs.writeFileSync(join(home, '.cache'), '');
      },
    ],
  ])('%s', async (_name, change) => {
    const home = temporaryHome();
    await runCached(home, {}, printFolder);
    change(home);
    expect(await runCached(home, {}, printFolder)).toMatch(/^natter +\d/);
  });
});

test('X1: a private folder in a sticky folder is used, even if that is open to others', async () => {
  const home = temporaryHome();
  fs.chmodSync(home, 0o1777);
  expect(await runCached(home, {}, printFolder)).toBe(folderOf(home));
});

/** The files of compiled code, in Node's own folders. */
const cachedFiles = (home: string): readonly string[] =>
  fs.existsSync(folderOf(home))
    ? fs
        .readdirSync(folderOf(home), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];

test('F1: natter runs after damage to any file of the cache, which a Node without one does not write', async () => {
  const home = temporaryHome();
  const first = await runCached(home);
  expect(first).toMatch(/^natter +\d/);
  const files = cachedFiles(home);
  expect(files.length > 0).toBe(hasCache);
  for (const path of files) {
    const whole = fs.readFileSync(path);
    for (const place of [0, 8, 20, Math.floor(whole.length / 2), whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      fs.writeFileSync(path, damaged);
      expect(await runCached(home)).toBe(first);
    }
    fs.writeFileSync(path, whole.subarray(0, Math.floor(whole.length / 2)));
    expect(await runCached(home)).toBe(first);
  }
});
