// Builds natter as one executable for this platform, with Node from the npm registry: `npm run executable`. See
// docs/decisions/0013-single-executable.md.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readData } from '../../bin/compile-cache.cjs';
import { emptyFolder, installNode, nodePackage, removeNode } from '../package/install-node.js';
import { runTrials } from '../package/trials.js';
import { tryConversation } from './try-conversation.js';

/** The first with `--build-sea`, which needs no other tools. */
const nodeVersion = '26';
const outputFolder = 'dist-executable';
const target = join(outputFolder, process.platform === 'win32' ? 'natter.exe' : 'natter');
const print = (text) => void process.stdout.write(`${text}\n`);

/** Typical runs: V8 stores the functions that they compile. */
const runs = [
  ['--sandbox', 'hello'],
  ['--sandbox', '--plain', 'hello'],
  ['--sandbox', '--markdown', '--color', 'always', 'hello [sandbox code]'],
  ['--sandbox', '--json', 'hello'],
  ['-c', '--sandbox', 'hello'],
  ['--sandbox', 'compare', 'hello'],
  ['models', 'list', '--sandbox'],
  ['config', 'list'],
  ['conversations', 'list'],
  ['conversations', 'search', 'hello'],
  ['last'],
  ['__complete', '--model', '='],
  ['completion', 'bash'],
];

/** Runs natter until its cache has the code that these runs compile. @returns the chunks' paths by their names */
async function compileChunks(node) {
  const home = emptyFolder('home');
  const cache = join(home, 'cache');
  const env = { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, HOME: home };
  Object.assign(env, { XDG_CACHE_HOME: cache, LOCALAPPDATA: cache });
  for (let round = 0; round < 3; round += 1) {
    for (const words of runs)
      execFileSync(node, ['bin/natter.cjs', ...words], { env, stdio: 'ignore' });
    await tryConversation([node, 'bin/natter.cjs'], env);
  }
  const [version] = readdirSync(join(cache, 'natter'));
  const folder = join(cache, 'natter', version);
  const stored = readdirSync(folder).map((name) => [name, readStored(join(folder, name))]);
  if (stored.length < 15) throw new Error(`only ${stored.length} chunks are compiled`);
  return stored;
}

/** V8's data in a file of the compile cache. */
function readStored(path) {
  const { data } = readData(path, readFileSync(join('dist', basename(path))));
  return data;
}

/** The files of the package that natter reads, and the compiled code, by the names that the loader looks up. */
async function assetsOf(node, stage) {
  const packed = ['bin', 'dist'].flatMap((name) =>
    readdirSync(name)
      .filter((file) => /\.(?:cjs|json|txt|wasm)$/.test(file))
      .map((file) => `${name}/${file}`),
  );
  const assets = Object.fromEntries(
    ['package.json', ...packed].map((name) => [name, resolve(name)]),
  );
  assets['bin/compile-cache.cjs'] = resolve('scripts/executable/compile-cache.cjs');
  for (const [name, data] of await compileChunks(node)) {
    const path = join(stage, name);
    writeFileSync(path, data);
    assets[`compiled/${name}`] = path;
  }
  return assets;
}

async function build(node) {
  const stage = emptyFolder('executable');
  const configuration = join(stage, 'sea.json');
  rmSync(outputFolder, { recursive: true, force: true });
  mkdirSync(outputFolder);
  const options = {
    main: resolve('scripts/executable/loader.cjs'),
    output: resolve(target),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: await assetsOf(node, stage),
  };
  writeFileSync(configuration, JSON.stringify(options));
  execFileSync(node, ['--build-sea', configuration], { stdio: ['ignore', 'ignore', 'inherit'] });
  // macOS starts only signed programs, and the signature of Node no longer matches.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', target]);
}

/** The licences of natter, its bundled packages and Node. */
function copyLicences(node) {
  for (const name of ['LICENSE', 'THIRD-PARTY-LICENSES.md'])
    copyFileSync(name, join(outputFolder, name));
  copyFileSync(join(dirname(node), '../LICENSE'), join(outputFolder, 'NODE-LICENSE'));
}

const node = installNode(nodeVersion);
if (node === undefined) {
  throw new Error(
    `not built: the npm registry has no ${nodePackage}@${nodeVersion} or is unreachable`,
  );
}
await build(node);
copyLicences(node);
const count = runTrials([resolve(target)]);
await tryConversation([resolve(target)], { PATH: process.env.PATH, HOME: emptyFolder('home') });
const size = Math.round(statSync(target).size / 1e6);
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
print(`${target}: ${size} MB with Node ${version}; ${count} trials and a conversation passed`);
removeNode(node);
