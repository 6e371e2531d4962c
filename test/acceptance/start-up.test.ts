import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runNatter } from '../support/natter.ts';

const preload = resolve('test/support/loaded-modules.cjs');

/** The source files in the chunks of the bundle that natter loaded. */
async function loadedSources(words: readonly string[]): Promise<readonly string[]> {
  const list = join(mkdtempSync(join(tmpdir(), 'natter-loaded-')), 'modules');
  await runNatter(words, { env: { NODE_OPTIONS: `--require ${preload}`, LOADED_MODULES: list } });
  const chunks = readFileSync(list, 'utf8')
    .split('\n')
    // The bundler's own helpers have no source.
    .filter((file) => file.includes('/dist/') && !file.endsWith('/rolldown-runtime.cjs'));
  return chunks.flatMap((chunk) => {
    const map = JSON.parse(readFileSync(`${chunk}.map`, 'utf8')) as { readonly sources: string[] };
    return map.sources;
  });
}

/** What a source file of each part has in its path. */
const parts = {
  client: 'src/client/create-client.ts',
  'sandbox server': 'src/sandbox/server.ts',
  'settings store': 'src/settings/settings-store.ts',
  conf: 'node_modules/conf/',
  Markdown: 'src/terminal/markdown/',
  marked: 'node_modules/marked/',
  highlighter: 'node_modules/@codemirror/',
  commands: 'node_modules/commander/',
} as const;

type Part = keyof typeof parts;

async function loadedParts(words: readonly string[]): Promise<readonly Part[]> {
  const sources = await loadedSources(words);
  const isLoaded = (part: Part) => sources.some((source) => source.includes(parts[part]));
  return (Object.keys(parts) as Part[]).filter(isLoaded);
}

test.each<[string, readonly string[], readonly Part[]]>([
  ['--version loads no part of natter', ['--version'], []],
  ['--help loads the commands alone', ['--help'], ['commands']],
  ['help on a topic loads the commands alone', ['help', 'exit-codes'], ['commands']],
  ['a usage error loads the commands alone', ['--bogus'], ['commands']],
  ['a dry run loads neither client nor sandbox', ['--dry-run', 'hi'], ['commands']],
  [
    'an answer into a pipe loads client and commands alone',
    ['--base-url', 'http://127.0.0.1:1', 'hi'],
    ['client', 'commands'],
  ],
])('%s', async (_name, words, expected) => {
  expect(await loadedParts(words)).toEqual(expected);
});

test.each<[Part, readonly string[]]>([
  ['client', ['--sandbox', 'hi']],
  ['sandbox server', ['--sandbox', 'hi']],
  ['settings store', ['config', 'set', 'model', 'nextgen']],
  ['conf', ['config', 'set', 'model', 'nextgen']],
  ['Markdown', ['--sandbox', '--markdown', 'hi']],
  ['marked', ['--sandbox', '--markdown', 'hi']],
  ['highlighter', ['--sandbox', '--markdown', '--color', 'always', '[sandbox code]']],
])('the %s is recognised where it is loaded', async (part, words) => {
  expect(await loadedParts(words)).toContain(part);
});
