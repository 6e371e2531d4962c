// Installs the packed natter into an empty folder, tries it on each supported Node, and runs the tests of commands
// with the latest of each major version: `npm run test:nodes`. These Nodes share the tests, because each of them would take
// minutes for all; with --whole, each runs all of them. The current Node skips them, because `npm test` runs them. The
// Nodes are from the npm registry; a Node that it does not have is reported as not tried, and is not a failure.
// With --this, only the current Node is tried, without the tests of commands.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installNode, nodePackage, packageFolder, removeNode } from './install-node.js';
import { pack } from './pack.js';
import { runTrials } from './trials.js';

/** The oldest supported Node gets the trials only. */
const oldestSupported = '20.19.0';
const majors = ['20', '22', '24', '26'];
/** natter must report that these are too old. */
const tooOld = ['12', '14', '16', '18', '20.18'];
const windows = process.platform === 'win32';

const print = (text) => void process.stdout.write(`${text}\n`);
const npm = (words, cwd) =>
  execFileSync('npm', [...words, '--silent', '--no-audit', '--no-fund'], {
    cwd,
    shell: windows,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const installed = packageFolder('installed');
npm(['install', pack(), '--ignore-scripts', '--offline'], installed);
const { bin } = JSON.parse(
  readFileSync(join(installed, 'node_modules/natter/package.json'), 'utf8'),
);
const program = join(installed, 'node_modules/natter', bin.natter);

function tryNode(node) {
  const count = runTrials([node, program]);
  tryLibrary(node);
  const version = execFileSync(node, ['--version']).toString().trim();
  print(`Node ${version}: ${count} trials passed`);
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

/** @param share such as `1/3`; undefined for all tests */
function runAcceptanceTests(node, share) {
  const start = Date.now();
  // Some tests depend on the timing of a terminal and need a second try on a busy machine.
  const words = [
    'node_modules/vitest/vitest.mjs',
    'run',
    'test/acceptance',
    'test/commands',
    '--retry=1',
  ];
  if (share !== undefined) words.push(`--shard=${share}`);
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const { status } = spawnSync(node, [...words, '--reporter=dot'], {
    env: { ...process.env, PATH: path },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`the acceptance tests failed with ${node}`);
  const what = share === undefined ? 'acceptance tests' : `acceptance tests, part ${share},`;
  print(`${what} passed in ${Math.round((Date.now() - start) / 1000)} s`);
}

/** Passes a Node of this version to `tryIt`, if there is one. */
function withNode(version, tryIt) {
  const node = installNode(version);
  if (node === undefined) {
    return print(
      `Node ${version}: not tried; the npm registry has no ${nodePackage} or is unreachable`,
    );
  }
  try {
    return tryIt(node);
  } finally {
    removeNode(node);
  }
}

function refuses(node) {
  for (const words of [['hi'], ['--version']]) {
    const { status, stdout, stderr } = spawnSync(node, [program, ...words], { encoding: 'utf8' });
    const message = /^natter needs Node 20\.19 or newer; this is v\d[^\n]+\n[^\n]+\n$/;
    if (status !== 3 || stdout !== '' || !message.test(stderr)) {
      throw new Error(`${node}: code ${status}\n${stdout}${stderr}`);
    }
  }
}

if (process.argv.includes('--this')) tryNode(process.execPath);
else {
  withNode(oldestSupported, tryNode);
  const others = majors.filter((major) => !process.version.startsWith(`v${major}.`));
  const isWhole = process.argv.includes('--whole');
  for (const major of majors) {
    withNode(major, (node) => {
      tryNode(node);
      const place = others.indexOf(major) + 1;
      if (place > 0) runAcceptanceTests(node, isWhole ? undefined : `${place}/${others.length}`);
    });
  }
  for (const version of tooOld) {
    withNode(version, (node) => {
      refuses(node);
      print(`Node ${version}: refused as too old`);
    });
  }
}
