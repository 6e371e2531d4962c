// Writes the types of `natter/client` to dist/client/types, and its way in for CommonJS: part of `npm run build`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const entry = 'library.d.ts';
const target = 'dist/client/types';
const specifier = /(?<=from ')(?<path>\.[^']+)\.ts(?=')/g;
const compiler = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** Files of `folder` that `path` names, directly or by another; `path` included. */
function closureOf(path, folder, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { groups } of readFileSync(join(folder, path), 'utf8').matchAll(specifier)) {
    closureOf(join(dirname(path), `${groups.path}.d.ts`), folder, found);
  }
  return found;
}

const emitted = mkdtempSync(join(tmpdir(), 'natter-declarations-'));
execFileSync(
  process.execPath,
  [compiler, '--project', 'scripts/package/declarations.json', '--outDir', emitted],
  { stdio: 'inherit' },
);
// The compiler writes a file for each of the client; a reader of the types needs those the entry leads to.
for (const path of closureOf(entry, emitted)) {
  const text = readFileSync(join(emitted, path), 'utf8');
  // Twice: TypeScript's `node16` lets CommonJS require only what has types of CommonJS.
  for (const [types, script] of [
    ['.d.ts', '.js'],
    ['.d.cts', '.cjs'],
  ]) {
    const copy = join(target, path.replace(/\.d\.ts$/, types));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text.replaceAll(specifier, `$<path>${script}`));
  }
}
rmSync(emitted, { recursive: true });
// A file of CommonJS, as types of CommonJS say; every supported Node requires ES modules.
writeFileSync('dist/client/library.cjs', "module.exports = require('./library.js');\n");
