import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runNatter } from '../support/natter.ts';

const preload = resolve('test/support/loaded-modules.cjs');

/** Files, and Node's modules as `node:` with their names, including internal ones. */
async function loadedModules(words: readonly string[]): Promise<readonly string[]> {
  const list = join(mkdtempSync(join(tmpdir(), 'natter-loaded-')), 'modules');
  const service = { NATTER_BASE_URL: 'http://127.0.0.1:1', NATTER_RETRIES: '0' };
  const env = { ...service, NODE_OPTIONS: `--require ${preload}`, LOADED_MODULES: list };
  await runNatter(words, { env });
  return readFileSync(list, 'utf8').split('\n');
}

async function loadedChunks(words: readonly string[]): Promise<readonly string[]> {
  return (await loadedModules(words)).filter((file) => file.includes('/dist/'));
}

/** The source files in the chunks that natter loaded. */
async function loadedSources(words: readonly string[]): Promise<readonly string[]> {
  return (await loadedChunks(words)).flatMap((chunk) => {
    // The chunk of the bundler's functions has no source.
    if (!existsSync(`${chunk}.map`)) return [];
    const map = JSON.parse(readFileSync(`${chunk}.map`, 'utf8')) as { readonly sources: string[] };
    return map.sources;
  });
}

/** A part of the path of its source files. */
const parts = {
  client: 'src/client/create-client.ts',
  undici: 'node_modules/undici/',
  'sandbox server': 'src/sandbox/server.ts',
  recording: 'src/recording/',
  'settings store': 'src/settings/settings-store.ts',
  conf: 'node_modules/conf/',
  Markdown: 'src/terminal/markdown/',
  marked: 'node_modules/marked/',
  highlighter: 'node_modules/@codemirror/',
  chalk: 'node_modules/chalk/',
  ajv: 'node_modules/ajv/',
  'CSV reader': 'src/batch/input/csv.ts',
  commands: 'node_modules/commander/',
  repl: 'src/repl/',
  'prompt files': 'src/prompt-files/',
  yaml: 'node_modules/yaml/',
  Ink: 'node_modules/ink/',
  React: 'node_modules/react/',
} as const;

type Part = keyof typeof parts;

async function loadedParts(words: readonly string[]): Promise<readonly Part[]> {
  const sources = await loadedSources(words);
  const isLoaded = (part: Part) => sources.some((source) => source.includes(parts[part]));
  return (Object.keys(parts) as Part[]).filter(isLoaded);
}

test.each<[string, readonly string[], readonly Part[]]>([
  ['the version with details loads none of these parts', ['--version', '--verbose'], []],
  ['completion of a model loads none of these parts', ['__complete', '--model', '='], []],
  ['--help of the full program loads only the commands', ['-q', '--help'], ['commands']],
  [
    'help on a topic by the full program loads only the commands',
    ['-q', 'help', 'exit-codes'],
    ['commands'],
  ],
  ['a usage error loads only the commands', ['--bogus'], ['commands']],
  [
    'a dry run loads what a prompt needs, and no sandbox',
    ['--dry-run', 'hi'],
    ['client', 'commands'],
  ],
  [
    'an answer into a pipe loads only client and commands',
    ['--base-url', 'http://127.0.0.1:1', 'hi'],
    ['client', 'commands'],
  ],
  ['a prompt without options loads only the client', ['hi'], ['client']],
  [
    'a comparison into a pipe loads only client, undici and commands',
    ['--base-url', 'http://127.0.0.1:1', 'compare', 'hi'],
    ['client', 'undici', 'commands'],
  ],
])('%s', async (_name, words, expected) => {
  expect(await loadedParts(words)).toEqual(expected);
});

test.each<[Part, readonly string[]]>([
  ['client', ['--sandbox', 'hi']],
  ['undici', ['--sandbox', 'compare', 'hi']],
  ['sandbox server', ['--sandbox', 'hi']],
  ['recording', ['--replay', 'none.jsonl', 'hi']],
  ['settings store', ['config', 'set', 'model', 'nextgen']],
  ['conf', ['config', 'set', 'model', 'nextgen']],
  ['ajv', ['--schema', 'name', '--dry-run', 'hi']],
  ['Markdown', ['--sandbox', '--markdown', 'hi']],
  ['marked', ['--sandbox', '--markdown', 'hi']],
  ['highlighter', ['--sandbox', '--markdown', '--color', 'always', '[sandbox code]']],
  ['chalk', ['--sandbox', '--color', 'always', 'hi']],
])('%s is detected when it is loaded', async (part, words) => {
  expect(await loadedParts(words)).toContain(part);
});

test('the reader of CSV is loaded only for a table', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-table-'));
  const [lines, table] = [join(folder, 'prompts.txt'), join(folder, 'prompts.csv')];
  for (const file of [lines, table]) writeFileSync(file, 'prompt\n"hi"\n');
  expect(await loadedParts(['batch', '--dry-run', lines])).not.toContain('CSV reader');
  expect(await loadedParts(['batch', '--dry-run', table])).toContain('CSV reader');
});

test('yaml is loaded only for a prompt file with front matter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-front-'));
  const [plain, front] = [join(folder, 'plain.md'), join(folder, 'front.md')];
  writeFileSync(plain, 'hi');
  writeFileSync(front, '---\nmodel: nextgen\n---\nhi');
  const run = (file: string) => loadedParts(['run', file, '--dry-run']);
  expect(await run(plain)).toEqual(['client', 'commands', 'prompt files']);
  expect(await run(front)).toEqual(['client', 'commands', 'prompt files', 'yaml']);
});

const prompt = ['--base-url', 'http://127.0.0.1:1', '--retries', '0', 'hi'];

test.each<[string, readonly string[], number]>([
  ['--version', ['--version'], 0],
  ['--help', ['--help'], 0],
  ['help on one screen', ['-h'], 0],
  ['help on a command', ['config', 'set', '--help'], 0],
  ['help on a topic', ['help', 'keys'], 0],
  ['completion of a model', ['__complete', '--model', '='], 4],
  ['a prompt that fails', prompt, 8],
])('%s loads few files', async (_name, words, most) => {
  const chunks = await loadedChunks(words);
  expect(chunks.map((chunk) => basename(chunk)).slice(most)).toEqual([]);
});

/** Modules of Node that take milliseconds to load. */
const heavyModules = [
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:https',
  'node:internal/crypto/webcrypto',
  'node:internal/deps/undici/undici',
  'node:internal/fs/rimraf',
  'node:internal/fs/streams',
  'node:readline',
  'node:tls',
  'node:zlib',
];

test('--help does not load the streams of Node', async () => {
  const loaded = await loadedModules(['--help']);
  expect(loaded.filter((name) => /^node:(?:net|stream|tty)$/.test(name))).toEqual([]);
  expect(await loadedModules(['-q', 'help', 'piping'])).toContain('node:net');
});

test('a prompt into a pipe loads no slow module of Node', async () => {
  const empty = await loadedModules(['--version', '--verbose']);
  const loaded = new Set((await loadedModules(prompt)).filter((name) => !empty.includes(name)));
  expect(heavyModules.filter((name) => loaded.has(name))).toEqual([]);
});
