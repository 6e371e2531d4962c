import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { coverageFiles, loadedFiles } from '../support/executed-files.ts';
import { folderOf } from '../support/folder.ts';
import { openFileSandbox } from '../support/held-sandbox.ts';
import { runNatter, serviceAt } from '../support/natter.ts';

const preload = resolve('test/support/loaded-modules.cjs');

const service = serviceAt(await openFileSandbox(), { NATTER_API_KEY: sandboxKey });

/** Node's modules as `node:` with their names, including internal ones. */
async function loadedModules(words: readonly string[]): Promise<readonly string[]> {
  const list = join(folderOf(), 'modules');
  const env = { ...service, NODE_OPTIONS: `--require ${preload}`, LOADED_MODULES: list };
  await runNatter(words, { env });
  return readFileSync(list, 'utf8').split('\n');
}

const sourcesOf = (map: string) =>
  (JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }).sources;

async function loadedChunks(words: readonly string[]): Promise<readonly string[]> {
  const folder = folderOf();
  await runNatter(words, { env: { ...service, NODE_V8_COVERAGE: folder } });
  return coverageFiles(folder).flatMap(loadedFiles);
}

/** The source files in the chunks that natter loaded. */
async function loadedSources(words: readonly string[]): Promise<readonly string[]> {
  return (await loadedChunks(words)).flatMap((chunk) => {
    // Some chunks only name exports of others.
    return existsSync(`${chunk}.map`) ? sourcesOf(`${chunk}.map`) : [];
  });
}

/** A part of the path of its source files. */
const parts = {
  client: 'src/client/create-client.ts',
  commands: 'src/commands/config/run.ts',
  repl: 'src/repl/session.ts',
  batch: 'src/batch/admission.ts',
  'sandbox server': 'src/sandbox/server.ts',
  undici: 'node_modules/undici/',
  conf: 'node_modules/conf/',
  marked: 'node_modules/marked/',
  highlighter: 'node_modules/@codemirror/',
  ajv: 'node_modules/ajv/',
  yaml: 'node_modules/yaml/',
  Ink: 'node_modules/ink/',
} as const;

type Part = keyof typeof parts;

async function loadedParts(words: readonly string[]): Promise<readonly Part[]> {
  const sources = await loadedSources(words);
  const isLoaded = (part: Part) => sources.some((source) => source.includes(parts[part]));
  return (Object.keys(parts) as Part[]).filter(isLoaded);
}

test.each<[string, readonly string[], readonly Part[]]>([
  ['completion of a model', ['__complete', '--model', '='], ['client', 'commands']],
  ['--help', ['--help'], []],
  ['an answer into a pipe', ['hi there'], ['client']],
  ['a command', ['config', 'list'], ['client', 'commands']],
])('%s loads only what it uses', async (_name, words, expected) => {
  expect(await loadedParts(words)).toEqual(expected);
});

test('each part is in the bundle under its name, so that it is detected when it is loaded', () => {
  const maps = readdirSync('dist').filter((name) => name.endsWith('.map'));
  const sources = maps.flatMap((name) => sourcesOf(join('dist', name)));
  const all = sources.join('\n');
  expect(Object.values(parts).filter((part) => !all.includes(part))).toEqual([]);
});

test('--version does not load the bundle', async () => {
  expect(await loadedChunks(['--version'])).toEqual([]);
  expect(await loadedChunks(['--version', '--verbose'])).not.toEqual([]);
});

test('yaml is loaded only for a prompt file with front matter', async () => {
  const folder = folderOf();
  const [plain, front] = [join(folder, 'plain.md'), join(folder, 'front.md')];
  writeFileSync(plain, 'hi');
  writeFileSync(front, '---\nmodel: nextgen\n---\nhi');
  const run = (file: string) => loadedParts(['run', file, '--dry-run']);
  expect(await run(plain)).not.toContain('yaml');
  expect(await run(front)).toContain('yaml');
});

/** Modules of Node that take milliseconds to load. */
const heavyModules =
  'crypto fs/promises https internal/crypto/webcrypto internal/deps/undici/undici readline tls zlib'
    .split(' ')
    .map((name) => `node:${name}`);

test('a prompt into a pipe loads no slow module of Node', async () => {
  const empty = await loadedModules(['--version', '--verbose']);
  const loaded = new Set((await loadedModules(['hi'])).filter((name) => !empty.includes(name)));
  expect(heavyModules.filter((name) => loaded.has(name))).toEqual([]);
});
