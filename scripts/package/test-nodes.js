// Installs the packed natter into an empty folder and tries it on each supported Node: `npm run test:nodes`.
// The Nodes come from the npm registry; without it there is nothing to test, which is said and is no failure.
// With --this, the Node that runs this is tried instead.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const majors = [20, 22, 24];
const windows = process.platform === 'win32';
const system = { win32: 'win' }[process.platform] ?? process.platform;
const nodePackage = `node-${system}-${process.arch}`;

const say = (text) => void process.stdout.write(`${text}\n`);
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

/** Undefined where the registry has none for this machine, or is out of reach. */
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

/** What a person meets first: arguments, input, the code to expect, and what output holds. */
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

const packed = emptyFolder('pack');
npm(['pack', '--ignore-scripts', '--pack-destination', packed], process.cwd());
const tarball = readdirSync(packed).find((name) => name.endsWith('.tgz'));
const installed = emptyFolder('installed');
npm(['install', join(packed, tarball), '--ignore-scripts', '--offline'], installed);
const { bin } = JSON.parse(
  readFileSync(join(installed, 'node_modules/natter/package.json'), 'utf8'),
);
const program = join(installed, 'node_modules/natter', bin.natter);

function tryNode(node) {
  tryAll(node, program);
  const version = execFileSync(node, ['--version']).toString().trim();
  say(`Node ${version}: ${trials.length} trials passed`);
}

function tryMajor(major) {
  const node = installNode(major);
  if (node !== undefined) tryNode(node);
  else say(`Node ${major}: not tried, the npm registry has no ${nodePackage} or is out of reach`);
}

if (process.argv.includes('--this')) tryNode(process.execPath);
else majors.forEach(tryMajor);
