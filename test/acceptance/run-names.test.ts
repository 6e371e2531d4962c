import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { binary, cleanEnvironment } from '../support/natter.ts';
import { createPromptProject } from '../support/prompt-project.ts';

const echo = '[sandbox echo]';

describe('names', () => {
  const prompts = {
    '.natter/prompts/review.md': 'Project.',
    '.natter/prompts/git/commit.md': 'C.',
  };

  test('are found in the project, also from a folder below, then in the settings folder', async () => {
    const project = createPromptProject(prompts);
    const { folder, config, prompt } = project;
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    mkdirSync(join(config, 'prompts'), { recursive: true });
    writeFileSync(join(config, 'prompts/review.md'), 'Mine.');
    writeFileSync(join(config, 'prompts/own.md'), 'Own.');
    expect(await prompt(['review'], { cwd: join(folder, 'src/deep') })).toBe('Project.');
    expect(await prompt(['git/commit'])).toBe('C.');
    expect(await prompt(['own'])).toBe('Own.');
    expect(await prompt(['review'], { cwd: config })).toBe('Mine.');
  });

  test('are not looked up above the repository', async () => {
    const { folder, run } = createPromptProject(prompts);
    const below = createPromptProject();
    mkdirSync(join(folder, 'other/.git'), { recursive: true });
    const { code, stderr } = await run(['run', 'review'], { cwd: join(folder, 'other') });
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
      code: 6,
      stderr: 'natter: there is no prompt file "review"',
    });
    expect((await below.run(['run', 'review'])).code).toBe(6);
  });

  test('a prompt that begins with run is refused, with the command that sends it', async () => {
    const { run, dryRun } = createPromptProject(prompts);
    const { code, stderr } = await run(['run', 'away', 'with', 'me', '--sandbox']);
    expect(code).toBe(6);
    expect(stderr).toBe(
      'natter: there is no prompt file "away"\n  to send it as a prompt: natter chat run away with me\n',
    );
    const { request } = await dryRun(['chat', 'run', 'away', 'with', 'me']);
    expect(request.body.messages).toEqual([{ role: 'user', content: 'run away with me' }]);
  });

  test('a variable before the name is refused', async () => {
    const { run } = createPromptProject(prompts);
    const { code, stderr } = await run(['run', '--lang', 'ts', 'review']);
    expect(code).toBe(6);
    expect(stderr).toContain('\n  put the name of the prompt file first: natter run NAME --lang\n');
  });

  test('a mistyped name is corrected', async () => {
    const { run } = createPromptProject(prompts);
    const { stderr } = await run(['run', 'reveiw']);
    expect(stderr).toContain('did you mean review?');
  });
});

test.skipIf(process.platform === 'win32')(
  'an executable file with natter run in its first line runs, with variables and input',
  () => {
    const { folder, write } = createPromptProject();
    write({
      'analyze.md': `#!/usr/bin/env -S natter run\n---\nvariables: { lang: ts }\n---\n${echo}{{lang}}: {{stdin}}\n`,
      'bin/natter': `#!/bin/sh\nexec "${process.execPath}" "${binary}" --sandbox "$@"\n`,
    });
    for (const name of ['analyze.md', 'bin/natter']) chmodSync(join(folder, name), 0o755);
    symlinkSync(join(folder, 'analyze.md'), join(folder, 'bin/analyze'));
    const base = cleanEnvironment();
    const env = { ...base, PATH: [join(folder, 'bin'), base['PATH']].join(delimiter) };
    const options = { cwd: folder, env, input: 'data', encoding: 'utf8' } as const;
    const [file, link] = [join(folder, 'analyze.md'), join(folder, 'bin/analyze')];
    expect(execFileSync(file, ['--lang=js'], options)).toBe('js: data\n');
    expect(execFileSync(link, [], { ...options, cwd: '/' })).toBe('ts: data\n');
  },
);

test.each([
  [['fix.md', '--', '--hard', '-m'], 'fix: --hard -m'],
  [['fix.md', 'it', '--', '--hard'], 'fix: it --hard'],
  [['tone.md', '--tone', 'kind', 'and', '--', '--tone', 'rude'], 'kind\n\nand --tone rude'],
  [['tone.md', '--tone=kind', 'and', '--', '--tone=rude'], 'kind\n\nand --tone=rude'],
])('natter run %j sends the words after -- as text', async (words, expected) => {
  const { run } = createPromptProject({ 'fix.md': 'fix: $ARGUMENTS', 'tone.md': '{{tone}}' });
  const { stdout, stderr } = await run(['run', '--sandbox', '--dry-run', ...words]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    request: { body: { messages: [{ content: expected }] } },
  });
});
