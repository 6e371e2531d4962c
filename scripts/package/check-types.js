// Checks that a program that imports the package finds its types: part of `npm run package:check`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { pack } from './pack.js';
import { temporaryFolder } from './temporary-folder.js';

/** A resolution without `exports`, which cannot find natter/client. */
const ignored = new Set(['node10']);

const tarball = pack();
const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
const entries = Object.keys(analysis.entrypoints ?? {});
if (analysis.types === false || !entries.includes('./client')) {
  throw new Error('the package has no types for natter/client');
}
const problems = analysis.problems.filter(({ resolutionKind }) => !ignored.has(resolutionKind));
if (problems.length > 0) throw new Error(JSON.stringify(problems, undefined, 2));

const compiler = resolve('node_modules/typescript/bin/tsc');
const folder = temporaryFolder('types');
const installed = join(folder, 'node_modules/natter');
mkdirSync(installed, { recursive: true });
execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1']);

const request = (fields) => `
  import { createClient } from 'natter/client';
  const client = createClient({ baseUrl: 'https://api.example.com' });
  void client.chat({ model: 'origin', messages: [{ role: 'user', content: 'hi' }], ${fields} });`;

/** The compiler's errors for a program that uses the package, including errors in its declarations. */
function typeErrors(name, text, module) {
  writeFileSync(join(folder, name), text);
  const options = ['--noEmit', '--ignoreConfig', '--strict', '--exactOptionalPropertyTypes'];
  const words = [...options, '--skipLibCheck', 'false', '--target', 'es2023', ...module, name];
  try {
    execFileSync(process.execPath, [compiler, ...words], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    return String(error.stdout);
  }
}

/** @type {[name: string, module: string[]][]} */
const modules = [
  ['program.mts', ['--module', 'nodenext']],
  ['program.mts', ['--module', 'node16']],
  ['program.cts', ['--module', 'nodenext']],
  ['program.cts', ['--module', 'node16']],
  ['program.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
];
/** Without and with TypeScript's own types of `using`. */
const libraries = ['es2023,dom', 'es2023,dom,esnext.disposable'];
const disposing = `
  import { createClient } from 'natter/client';
  export async function list(): Promise<number> {
    using first = createClient({ baseUrl: 'https://api.example.com' });
    await using second = createClient({ baseUrl: 'https://api.example.com' });
    return (await first.listModels()).length + (await second.listModels()).length;
  }`;
for (const [name, module] of modules) {
  for (const text of [request('params: { temperature: 0 }'), disposing]) {
    for (const library of libraries) {
      const errors = typeErrors(name, text, [...module, '--lib', library]);
      if (errors !== '') throw new Error(`${name} with ${module.join(' ')}, ${library}: ${errors}`);
    }
  }
}
const mistakes = [
  [request('max_token: 5'), 'max_token'],
  [request('temperature: 0'), 'temperature'],
  [request('stream: true').replace("role: 'user'", "role: 'usr'"), 'usr'],
];
for (const [text, mistake] of mistakes) {
  if (!typeErrors('mistake.mts', text, ['--module', 'nodenext']).includes(mistake)) {
    throw new Error(`the types accept a mistake: ${mistake}`);
  }
}
process.stdout.write(`types of ${entries.join(', ')}: no problems\n`);
