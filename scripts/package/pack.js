import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const windows = process.platform === 'win32';

function npmPack(words, cwd) {
  const options = { cwd, shell: windows, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' };
  return execFileSync('npm', ['pack', '--ignore-scripts', ...words], options);
}

/** Useless without the sources. */
const unpublished = new Set(['scripts', 'devDependencies']);

function publishedDescription() {
  const entries = Object.entries(JSON.parse(readFileSync('package.json', 'utf8')));
  const published = Object.fromEntries(entries.filter(([name]) => !unpublished.has(name)));
  return `${JSON.stringify(published, undefined, 2)}\n`;
}

function packInto(folder, stage) {
  const [{ files }] = JSON.parse(npmPack(['--dry-run', '--json'], process.cwd()));
  for (const { path } of files) cpSync(path, join(stage, path), { preserveTimestamps: true });
  writeFileSync(join(stage, 'package.json'), publishedDescription());
  npmPack(['--silent', '--pack-destination', resolve(folder)], stage);
}

/** Packs the built files into a folder, without a new build. @returns the path of the package */
export function pack(folder = mkdtempSync(join(tmpdir(), 'natter-pack-'))) {
  if (!existsSync('dist/main.cjs')) throw new Error('natter is not built: run npm ci');
  const stage = mkdtempSync(join(tmpdir(), 'natter-stage-'));
  try {
    packInto(folder, stage);
  } finally {
    rmSync(stage, { recursive: true });
  }
  const [name] = readdirSync(folder);
  return resolve(folder, name);
}
