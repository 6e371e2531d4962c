// Builds natter as one executable for this platform, with Node from the npm registry: `npm run executable`. See
// docs/decisions/0013-single-executable.md.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { installNode, nodePackage, removeNode } from '../package/install-node.js';
import { temporaryFolder } from '../package/temporary-folder.js';
import { runTrials } from '../package/trials.js';
import { tryConversation } from './try-conversation.js';

/** The first with `--build-sea`, which needs no other tools, and with ES modules in an executable. */
const nodeVersion = '26';
const outputFolder = 'dist-executable';
const target = join(outputFolder, process.platform === 'win32' ? 'natter.exe' : 'natter');
const print = (text) => void process.stdout.write(`${text}\n`);

/** The published program in one file: an executable can load no other. */
async function bundleProgram(file) {
  const bundle = await rolldown({
    input: 'bin/natter.cjs',
    platform: 'node',
    // Ink's tools for developers, which are not installed.
    resolve: { alias: { 'react-devtools-core': false } },
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false, minify: true });
  await bundle.close();
}

async function build(node) {
  const stage = temporaryFolder('executable');
  const main = join(stage, 'natter.mjs');
  const configuration = join(stage, 'sea.json');
  await bundleProgram(main);
  rmSync(outputFolder, { recursive: true, force: true });
  mkdirSync(outputFolder);
  const options = {
    main,
    mainFormat: 'module',
    output: resolve(target),
    disableExperimentalSEAWarning: true,
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
await tryConversation([resolve(target)], { PATH: process.env.PATH, HOME: temporaryFolder('home') });
const size = Math.round(statSync(target).size / 1e6);
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
print(`${target}: ${size} MB with Node ${version}; ${count} trials and a conversation passed`);
removeNode(node);
