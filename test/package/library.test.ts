import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { installPacked } from '../support/packed.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await installPacked();
}, 240_000);

const installed = (path: string) => join(folder, 'node_modules/natter', path);
const filesOf = (path: string) =>
  readdirSync(installed(path), { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  );

async function runFile(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const { stdout } = await run(process.execPath, [name], { cwd: folder });
  return stdout.trim();
}

const exported = 'Failure,IncompleteAnswer,catalogue,collectAnswer,createClient';

test('natter/client is imported and required', async () => {
  const text = "import * as client from 'natter/client'; console.log(Object.keys(client).join());";
  expect(await runFile('import.mjs', text)).toBe(exported);
  const required = "console.log(Object.keys(require('natter/client')).join());";
  expect(await runFile('require.cjs', required)).toBe(exported);
});

test('natter/package.json can be imported, and nothing else of natter', async () => {
  const text = `
    console.log(require('natter/package.json').name);
    for (const name of ['natter', 'natter/dist/main.js']) {
      try { require(name); } catch (error) { console.log(error.code); }
    }`;
  expect(await runFile('exports.cjs', text)).toBe(
    'natter\nERR_PACKAGE_PATH_NOT_EXPORTED\nERR_PACKAGE_PATH_NOT_EXPORTED',
  );
});

test('Y23: the packed package.json names the man pages, and no scripts or development dependencies', () => {
  const text = readFileSync(installed('package.json'), 'utf8');
  const { man, scripts, devDependencies } = JSON.parse(text) as Record<string, unknown>;
  expect({ man, scripts, devDependencies }).toEqual({ man: packageJson.man });
  expect(readFileSync(installed('man/natter.1'), 'utf8')).toMatch(/^\.TH /m);
});

test('Y23: a global installation of the package links the man pages', async () => {
  const { stdout: packed } = await run(process.execPath, ['scripts/package/print-packed.js']);
  const prefix = join(folder, 'global');
  const words = ['install', '--global', '--prefix', prefix, '--offline', '--no-audit', '--no-fund'];
  const { stderr } = await run('npm', [...words, packed.trim()], { cwd: folder });
  for (const page of packageJson.man) {
    const linked = join(prefix, 'share/man/man1', basename(page));
    expect(readFileSync(linked, 'utf8')).toMatch(/^\.TH /m);
  }
  expect(stderr).not.toContain('prepare');
}, 240_000);

test('the program runs from the package', async () => {
  const natter = join(folder, 'node_modules/.bin/natter');
  expect((await run(natter, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the library contains only the client and its packages', () => {
  const maps = readdirSync('dist/client')
    .filter((name) => name.endsWith('.map'))
    .map((name) => join('dist/client', name));
  const sources = maps.flatMap((path) =>
    (JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] }).sources.map((source) =>
      relative('.', join(dirname(path), source)),
    ),
  );
  const own = sources.filter((path) => path.startsWith('src/'));
  const outside = own.filter((path) => !path.startsWith('src/client/'));
  expect(own.length).toBeGreaterThan(20);
  expect(outside.sort()).toEqual(
    [
      'address',
      'clock',
      'failure',
      'filtered-characters',
      'json',
      'library',
      'secrets/mask',
      'secrets/secret-filter',
      'secrets/secret-parts',
    ].map((name) => `src/${name}.ts`),
  );
  const packages = sources.flatMap(
    (path) => /node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)\//.exec(path)?.groups?.['name'] ?? [],
  );
  expect([...new Set(packages)].sort()).toEqual(['entities', 'eventsource-parser', 'undici']);
});

test('the library is smaller than 700 kB, and has types', () => {
  const sizes = filesOf('dist/client')
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(installed(`dist/client/${name}`)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(700_000);
  expect(filesOf('dist/client/types')).toContain('library.d.ts');
});
