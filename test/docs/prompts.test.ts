import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parsePromptFile } from '../../src/prompt-files/parse-prompt-file.ts';
import { variablesOf } from '../../src/prompt-files/prompt-file.ts';
import { blocksOf } from '../support/guide-blocks.ts';

const guide = 'docs/prompts.md';
const blocks = blocksOf('prompts.md', readFileSync(guide, 'utf8'));

const textOf = (language: string, start: string) => {
  const block = blocks.find((one) => one.language === language && one.text.startsWith(start));
  if (block === undefined) throw new Error(`${guide} has no block that starts with ${start}`);
  return block.text;
};

const parse = (content: string) =>
  parsePromptFile({ file: { name: 'guide.md', path: '/guide.md' }, content });

test('the forms of variables in the guide are those of natter', async () => {
  const prompt = await parse(`---\n${textOf('yaml', 'variables:')}---\n{{tone}}`);
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
  const prompt = await parse(textOf('text', '#!'));
  expect(prompt.front.description).toBe('Explain a log');
  expect(variablesOf(prompt)).toMatchObject([{ name: 'lang', default: 'English' }]);
  expect(prompt.prompt.some(({ kind }) => kind === 'stdin')).toBe(true);
});
