// Writes the types of `natter/client` to dist/client/types, and its CommonJS entry: part of `npm run build`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

const entry = 'library.d.ts';
const target = 'dist/client/types';
const specifier = /(?<=from ')(?<path>\.[^']+)\.ts(?=')/g;
const compiler = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** `path` and the files of `folder` that it imports, directly or indirectly. */
function closureOf(path, folder, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { groups } of readFileSync(join(folder, path), 'utf8').matchAll(specifier)) {
    closureOf(join(dirname(path), `${groups.path}.d.ts`), folder, found);
  }
  return found;
}

const emitted = temporaryFolder('declarations');
execFileSync(
  process.execPath,
  [compiler, '--project', 'scripts/package/declarations.json', '--outDir', emitted],
  { stdio: 'inherit' },
);
// The compiler writes declarations for every file of the client; only those reachable from the entry are published.
for (const path of closureOf(entry, emitted)) {
  const text = readFileSync(join(emitted, path), 'utf8');
  // As types of CommonJS, because under TypeScript's `node16` CommonJS may require only those; ES modules may import both.
  const copy = join(target, path.replace(/\.d\.ts$/, '.d.cts'));
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, text.replaceAll(specifier, '$<path>.cjs'));
}
writeFileSync(join(target, entry), "export * from './library.cjs';\n");
// A CommonJS file, as its types require. Node 20.19, 22.12 and newer can `require` an ES module; docs/client.md says so.
writeFileSync('dist/client/library.cjs', "module.exports = require('./library.js');\n");
