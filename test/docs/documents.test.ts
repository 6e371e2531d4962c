import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandHints } from '../../src/cli/report.ts';
import { commonHints } from '../../src/output/ending-failure.ts';
import { parsePromptFile, variablesOf } from '../../src/prompt-files/prompt-file.ts';
import { deadLinks } from '../support/document-links.ts';
import { codeBlock } from '../support/guide-blocks.ts';

const text = readFileSync('SECURITY.md', 'utf8');

test('every promise of SECURITY.md names tests that exist', () => {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:promise|-)/.test(line));
  const named = rows.map((row) =>
    [...row.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path),
  );
  expect(rows.length).toBeGreaterThan(8);
  expect(named.filter((paths) => paths.length === 0)).toEqual([]);
  expect(named.flat().filter((path) => !existsSync(path))).toEqual([]);
});

test('natter has no runtime dependencies and runs no scripts at installation', () => {
  const { dependencies, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly dependencies?: object;
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(dependencies ?? {}).toEqual({});
  for (const name of ['preinstall', 'install', 'postinstall'])
    expect(scripts).not.toHaveProperty(name);
});

const documents = ['.', 'docs', 'docs/decisions', 'bench'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

test('each link of a document leads to a file and a heading that exist', () => {
  expect(documents.flatMap((path) => deadLinks('.', path))).toEqual([]);
});

/** Remedies of failures that only the program throws. */
const programOnly = ['list-conversations', 'raise-max-tokens', 'record-request'];

test('docs/client.md lists the code of every remedy of the client', () => {
  const section = readFileSync('docs/client.md', 'utf8').split('### Remedies')[1] ?? '';
  const [table = ''] = section.split('\n## ');
  const codes = Object.keys({ ...commonHints, ...commandHints });
  const missing = codes.filter((code) => !table.includes(`\`${code}\``));
  expect(missing.sort()).toEqual(programOnly);
});

const guide = 'docs/prompts.md';

const parse = (content: string) =>
  parsePromptFile({ file: { name: 'guide.md', path: '/guide.md' }, content });

test('the forms of variables in the guide are those of natter', async () => {
  const prompt = await parse(`---\n${codeBlock(guide, 'variables:')}---\n{{tone}}`);
  expect(variablesOf(prompt).map(({ place: _place, ...variable }) => variable)).toEqual([
    { name: 'tone', default: 'friendly' },
    { name: 'lang', choices: ['ts', 'js', 'py'] },
    {
      name: 'audience',
      description: 'who reads it',
      choices: ['users', 'developers'],
      default: 'users',
    },
    { name: 'topic' },
  ]);
});

test('the executable prompt file of the guide has a description, a variable and input', async () => {
  const prompt = await parse(codeBlock(guide, '#!'));
  expect(prompt.front.description).toBe('Explain a log');
  expect(variablesOf(prompt)).toMatchObject([{ name: 'lang', default: 'English' }]);
  expect(prompt.prompt.some(({ kind }) => kind === 'stdin')).toBe(true);
});
