// Installs the packed natter into an empty folder, tries it on each supported Node, and runs the acceptance tests with
// that Node: `npm run test:nodes`. The current Node skips the acceptance tests, because `npm test` runs them. The Nodes
// are from the npm registry; a Node that it does not have is reported as not tried, and is not a failure.
// With --this, only the current Node is tried, without the acceptance tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pack } from './pack.js';

const majors = [20, 22, 24];
/** natter must report that these are too old. */
const oldMajors = [14, 16, 18];
const windows = process.platform === 'win32';
const system = { win32: 'win' }[process.platform] ?? process.platform;
const nodePackage = `node-${system}-${process.arch}`;

const print = (text) => void process.stdout.write(`${text}\n`);
const npm = (words, cwd) =>
  execFileSync('npm', [...words, '--silent', '--no-audit', '--no-fund'], {
    cwd,
    shell: windows,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

function emptyFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `natter-${name}-`));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  return folder;
}

/** Undefined if the registry has none for this machine, or is unreachable. */
function installNode(major) {
  const folder = emptyFolder(`node-${major}`);
  const { status } = spawnSync(
    'npm',
    [
      'install',
      `${nodePackage}@${major}`,
      '--ignore-scripts',
      '--silent',
      '--no-audit',
      '--fetch-retries=0',
    ],
    { cwd: folder, shell: windows },
  );
  const path = join(folder, 'node_modules', nodePackage, 'bin', windows ? 'node.exe' : 'node');
  return status === 0 && existsSync(path) ? path : undefined;
}

/** Common command lines, with the expected exit code and standard output. */
const trials = [
  { words: ['--version'], holds: /^\d+\.\d+\.\d+\n$/ },
  { words: ['--help'], holds: /Usage: natter/ },
  { words: ['--sandbox', 'hi'], holds: /hi/ },
  { words: ['--sandbox', 'sum up'], input: 'piped in', holds: /piped in/ },
  { words: ['--sandbox', '--json', 'hi'], holds: /^\{.*"content"/s },
  { words: ['--sandbox', '--markdown', '--color', 'always', '[sandbox code]'], holds: /\u001B\[/ },
  { words: ['--sandbox', '[sandbox fin cut-after=5] hi'], code: 11, holds: /./ },
  { words: ['models', 'list', '--sandbox'], holds: /^origin\t/ },
  { words: ['config', 'set', 'model', 'nextgen'], holds: /^/ },
  { words: ['config', 'get', 'model'], holds: /^nextgen\n$/ },
  { words: ['conversations', 'list', '--json'], holds: /"title": "hi"/ },
  { words: ['last'], holds: /./ },
  { words: ['completion', 'bash'], holds: /complete -F _natter natter/ },
  { words: ['--bogus'], code: 2, holds: /^$/ },
];

function tryAll(node, program) {
  const home = emptyFolder('home');
  const folders = {
    NATTER_CONFIG_DIR: 'config',
    NATTER_DATA_DIR: 'data',
    NATTER_STATE_DIR: 'state',
  };
  const env = { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, HOME: home };
  for (const [name, folder] of Object.entries(folders)) env[name] = join(home, folder);
  for (const { words, input = '', code = 0, holds } of trials) {
    const { status, stdout, stderr } = spawnSync(node, [program, ...words], {
      env,
      input,
      encoding: 'utf8',
      timeout: 60_000,
    });
    if (status === code && holds.test(stdout)) continue;
    throw new Error(`natter ${words.join(' ')}: code ${status}\n${stdout}\n${stderr}`);
  }
}

const installed = emptyFolder('installed');
npm(['install', pack(), '--ignore-scripts', '--offline'], installed);
const { bin } = JSON.parse(
  readFileSync(join(installed, 'node_modules/natter/package.json'), 'utf8'),
);
const program = join(installed, 'node_modules/natter', bin.natter);

function tryNode(node) {
  tryAll(node, program);
  tryLibrary(node);
  const version = execFileSync(node, ['--version']).toString().trim();
  print(`Node ${version}: ${trials.length} trials passed`);
}

function tryLibrary(node) {
  const report = `
    const opened = client.createClient({ baseUrl: 'http://localhost:1' });
    void opened[Symbol.asyncDispose]().then(() => console.log('closed'));`;
  const programs = [
    ['--input-type=module', '--eval', `import * as client from 'natter/client'; ${report}`],
    ['--eval', `const client = require('natter/client'); ${report}`],
  ];
  for (const words of programs) {
    const { stdout, stderr } = spawnSync(node, words, { cwd: installed, encoding: 'utf8' });
    if (stdout !== 'closed\n') throw new Error(`natter/client: ${stdout}${stderr}`);
  }
}

function runAcceptanceTests(node) {
  const start = Date.now();
  // Some tests depend on the timing of a terminal and need a second try on a busy machine.
  const words = ['node_modules/vitest/vitest.mjs', 'run', 'test/acceptance', '--retry=1'];
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const { status } = spawnSync(node, [...words, '--reporter=dot'], {
    env: { ...process.env, PATH: path },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`the acceptance tests failed with ${node}`);
  print(`acceptance tests passed in ${Math.round((Date.now() - start) / 1000)} s`);
}

function printNotTried(major) {
  print(`Node ${major}: not tried; the npm registry has no ${nodePackage} or is unreachable`);
}

function tryMajor(major) {
  const node = installNode(major);
  if (node === undefined) return printNotTried(major);
  tryNode(node);
  if (!process.version.startsWith(`v${major}.`)) runAcceptanceTests(node);
}

function tryOldMajor(major) {
  const node = installNode(major);
  if (node === undefined) return printNotTried(major);
  const { status, stderr } = spawnSync(node, [program, 'hi'], { encoding: 'utf8' });
  if (
    status !== 3 ||
    !/^natter needs Node 20\.19 or newer; this is v\d[^\n]+\n[^\n]+\n$/.test(stderr)
  ) {
    throw new Error(`Node ${major}: code ${status}\n${stderr}`);
  }
  print(`Node ${major}: refused as too old`);
}

if (process.argv.includes('--this')) tryNode(process.execPath);
else {
  majors.forEach(tryMajor);
  oldMajors.forEach(tryOldMajor);
}
