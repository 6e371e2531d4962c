import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPromptProject } from '../support/prompt-project.ts';
import { openTerminal } from '../support/terminal.ts';

const isPrivate = (file: string) =>
  process.platform === 'win32' || (statSync(file).mode & 0o077) === 0;

const review =
  '---\ndescription: Review code\nvariables:\n  lang: [ts, js]\n  tone: kind\n---\nBe {{tone}} about {{lang}}.\n';

const files = {
  '.natter/prompts/review.md': review,
  '.natter/prompts/git/commit.md': 'Write a message.',
  '.natter/prompts/_style.md': 'fragment',
  '.natter/prompts/broken.md': '---\nbase-url: x\n---\n',
};

describe('natter prompts list', () => {
  test('has names, origins, variables and descriptions; a bad file has its problem', async () => {
    const { run } = createPromptProject(files);
    const { code, stdout, stderr } = await run(['prompts']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'broken\tproject\t\t.natter/prompts/broken.md:2: a prompt file cannot set "base-url"',
        'git/commit\tproject\t\t',
        'review\tproject\t--lang=ts|js [--tone=kind]\tReview code',
        '',
      ].join('\n'),
    );
  });

  test('as JSON has the paths, the choices and the defaults', async () => {
    const { run, folder } = createPromptProject(files);
    const { stdout } = await run(['prompts', 'list', '--json']);
    expect(JSON.parse(stdout)).toContainEqual({
      name: 'review',
      origin: 'project',
      path: join(folder, '.natter/prompts/review.md'),
      description: 'Review code',
      variables: [
        { name: 'lang', description: null, choices: ['ts', 'js'], default: null },
        { name: 'tone', description: null, choices: null, default: 'kind' },
      ],
      problem: null,
    });
  });

  test('without prompt files is empty, with a notice', async () => {
    const { code, stdout, stderr } = await createPromptProject().run(['prompts']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('there are no prompt files; natter prompts edit NAME creates one');
  });
});

test('natter prompts show has what the file sets, its variables and its text', async () => {
  const { run } = createPromptProject(files);
  const { code, stdout } = await run(['prompts', 'show', 'review']);
  expect(code).toBe(0);
  expect(stdout).toBe(
    `File:        .natter/prompts/review.md\nDescription: Review code\nVariables:\n  --lang  one of ts, js; required\n  --tone  default kind\n\n${review}`,
  );
  const { stdout: json } = await run(['prompts', 'show', 'review', '--json']);
  expect(JSON.parse(json)).toMatchObject({ name: 'review', format: 'markdown', text: review });
});

test('natter prompts path prints the path of a prompt file, else that of your folder', async () => {
  const { run, folder, config } = createPromptProject(files);
  expect((await run(['prompts', 'path', 'review'])).stdout).toBe(
    `${join(folder, '.natter/prompts/review.md')}\n`,
  );
  expect((await run(['prompts', 'path'])).stdout).toBe(`${join(config, 'prompts')}\n`);
  expect((await run(['prompts', 'path', 'none'])).code).toBe(6);
});

test.skipIf(process.platform === 'win32')(
  'natter prompts path prints no escape sequences of a name on a terminal, and the exact path in a pipe',
  async () => {
    const target = 'a\u001B]0;title\u0007b.md';
    const { run, folder } = createPromptProject({ [`.natter/prompts/${target}`]: 'x' });
    const prompts = join(folder, '.natter/prompts');
    symlinkSync(target, join(prompts, 'link.md'));
    const words = ['prompts', 'path', 'link'];
    expect((await run(words)).stdout).toBe(`${join(prompts, target)}\n`);
    const session = openTerminal([], { shell: `cd "${folder}" && $NATTER ${words.join(' ')}` });
    await session.exit;
    expect(session.output()).toContain('b.md');
    expect(session.output()).not.toContain('title');
  },
);

describe('natter prompts edit', () => {
  const append = (text: string) => ({ EDITOR: `sh -c 'echo "${text}" >> "$1"' --` });

  test('creates a file of your own that others cannot read, and then edits it', async () => {
    const { run, config, prompt } = createPromptProject();
    const file = join(config, 'prompts/ask.md');
    const { code, stderr } = await run(['prompts', 'edit', 'ask'], { env: append('Ask.') });
    expect({ code, stderr }).toEqual({ code: 0, stderr: `natter: created ${file}\n` });
    expect(await prompt(['ask'])).toBe('Ask.');
    expect(isPrivate(file)).toBe(true);
    await run(['prompts', 'edit', 'ask'], { env: append('Again.') });
    expect(readFileSync(file, 'utf8')).toMatch(/Ask\.\nAgain\.\n$/);
  });

  test('--project creates a file at the root of the repository', async () => {
    const { run, folder } = createPromptProject({ 'src/main.ts': '' });
    const { code } = await run(['prompts', 'edit', 'git/commit', '--project'], {
      env: append('Commit.'),
      cwd: join(folder, 'src'),
    });
    expect(code).toBe(0);
    expect(existsSync(join(folder, '.natter/prompts/git/commit.md'))).toBe(true);
  });

  test('reports what is wrong with the edited file', async () => {
    const { run } = createPromptProject({ '.natter/prompts/a.md': '---\nmodel: x\n' });
    const editor = `sh -c 'printf "modle: y\\n---\\n" >> "$1"' --`;
    const { code, stderr } = await run(['prompts', 'edit', 'a'], { env: { EDITOR: editor } });
    expect(code).toBe(2);
    expect(stderr).toContain('.natter/prompts/a.md:3: a prompt file cannot set "modle"');
  });

  test.each([
    ['../up', /"\.\.\/up" cannot be the name of a prompt file/],
    ['a b', /"a b" cannot be the name/],
    ['.hidden', /"\.hidden" cannot be the name/],
  ])('refuses the name %j', async (name, message) => {
    const { run } = createPromptProject();
    const { code, stderr } = await run(['prompts', 'edit', name], { env: { EDITOR: 'true' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('reports an editor that fails', async () => {
    const { run } = createPromptProject(files);
    const failed = await run(['prompts', 'edit', 'review'], { env: { EDITOR: 'false' } });
    expect(failed.stderr).toContain('the editor (false) exited with an error');
    const missing = await run(['prompts', 'edit', 'review'], { env: { EDITOR: '/none/editor' } });
    expect(missing).toMatchObject({ code: 3 });
  });
});

test('a prompt that begins with prompts has a hint with the command that sends it', async () => {
  const { run } = createPromptProject();
  const { code, stderr } = await run(['prompts', 'are', 'useful']);
  expect(code).toBe(2);
  expect(stderr).toContain('to send it as a prompt: natter chat prompts are useful');
});
