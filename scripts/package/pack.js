import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

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

/** Documents for those who work on natter are not packed: a link to one becomes text. */
function withoutDeadLinks(text, folder) {
  return text.replaceAll(
    /\[([^\][]+)\]\((?!\w+:|#)([^)\s#]+)(?:#[^)\s]*)?\)/g,
    (link, label, target) => (existsSync(join(folder, target)) ? link : label),
  );
}

function removeDeadLinks(stage, files) {
  for (const { path } of files.filter((file) => file.path.endsWith('.md'))) {
    const file = join(stage, path);
    writeFileSync(file, withoutDeadLinks(readFileSync(file, 'utf8'), dirname(file)));
  }
}

/** @returns the name of the package */
function packInto(folder, stage) {
  const [{ files }] = JSON.parse(npmPack(['--dry-run', '--json'], process.cwd()));
  for (const { path } of files) cpSync(path, join(stage, path), { preserveTimestamps: true });
  removeDeadLinks(stage, files);
  writeFileSync(join(stage, 'package.json'), publishedDescription());
  return npmPack(['--silent', '--pack-destination', resolve(folder)], stage).trim();
}

/** Packs the built files into a folder, without a new build. @returns the path of the package */
export function pack(folder = temporaryFolder('pack')) {
  if (!existsSync('dist/main.js')) throw new Error('natter is not built: run npm ci');
  return resolve(folder, packInto(folder, temporaryFolder('stage')));
}
