import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPromptProject } from '../support/prompt-project.ts';

const files = {
  '.natter/prompts/review.md':
    '---\ndescription: Review code\nvariables:\n  lang: { choices: [ts, js], description: language }\n  tone: kind\n---\n{{lang}} {{tone}}',
  '.natter/prompts/rewrite.md': '{{style}}',
  '.natter/prompts/broken.md': '---\nbase-url: x\n---\n{{x}}',
  'notes.md': '{{topic}}',
};

test.each<[string, readonly string[]]>([
  ['run re', ['review\tReview code', 'rewrite']],
  ['run b', ['broken']],
  ['run mine', ['mine\tMine']],
  ['run n', [':files']],
  ['run ./', [':files']],
  ['prompts show rev', ['review\tReview code']],
  ['prompts edit rew', ['rewrite']],
  ['run review --l', ['--lang=ts\tlanguage', '--lang=js\tlanguage']],
  ['run review --lang=j', ['--lang=js\tlanguage']],
  ['run review --to', ['--tone=\tkind']],
  ['run review --lang ', ['ts\tlanguage', 'js\tlanguage']],
  ['run review --lang j', ['js\tlanguage']],
  ['run review --lang ts --to', ['--tone=\tkind']],
  ['run review --tone ', []],
  ['run review --lang=ts ', []],
  ['run -m nextgen review --sandbox --to', ['--tone=\tkind']],
  ['run rewrite --sty', ['--style=\tvariable']],
  ['run ./notes.md --top', ['--topic=\tvariable']],
  ['run none --top', []],
  ['run broken --x', []],
  ['run review --mod', ['--model\tmodel']],
  ['run review re', []],
])('the candidates for "natter %s" are %j', async (line, expected) => {
  const { run, config } = createPromptProject(files);
  mkdirSync(join(config, 'prompts'), { recursive: true });
  writeFileSync(join(config, 'prompts/mine.md'), '---\ndescription: Mine\n---\n');
  const words = line.split(' ');
  const last = words.at(-1) ?? '';
  const { code, stdout, stderr } = await run(['__complete', ...words.slice(0, -1), `=${last}`]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const known = /^(?:--lossy|--top-)|^\t/;
  const lines = stdout.split('\n').filter((text) => text !== '' && !known.test(text));
  expect(lines.map((text) => text.replace(/\t(model) to use.*/, '\t$1'))).toEqual(expected);
});

test('names and choices of a project with shell commands, and names that are options, are not candidates', async () => {
  const { run } = createPromptProject({
    '.natter/prompts/plain.md':
      '---\nvariables: { lang: [ts, "$(id)", "a;b", not sure] }\n---\n{{lang}}',
    '.natter/prompts/$(id).md': 'x',
    '.natter/prompts/a;id.md': 'x',
    '.natter/prompts/a`id`.md': 'x',
    '.natter/prompts/--allow-secrets.md': 'x',
  });
  const names = await run(['__complete', 'prompts', 'show', '=']);
  expect(names.stdout).toBe('plain\n');
  const choices = await run(['__complete', 'run', 'plain', '=--lang']);
  expect(choices.stdout).toBe('--lang=ts\n--lang=not sure\n');
});
