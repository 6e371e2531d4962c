import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../support/in-memory.ts';
import { createPromptProject } from '../../support/prompt-project.ts';

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
    expect(await run(['prompts'])).toMatchObject({
      code: 0,
      stdout: [
        'broken\tproject\t\t.natter/prompts/broken.md:2: a prompt file cannot set "base-url"',
        'git/commit\tproject\t\t',
        'review\tproject\t--lang=ts|js [--tone=kind]\tReview code',
        '',
      ].join('\n'),
      stderr: '',
    });
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
  expect(await run(['prompts', 'show', 'review'])).toMatchObject({
    code: 0,
    stdout: `File:        .natter/prompts/review.md\nDescription: Review code\nVariables:\n  --lang  one of ts, js; required\n  --tone  default kind\n\n${review}`,
  });
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
    expect(
      await run(['prompts', 'edit', 'git/commit', '--project'], {
        env: append('Commit.'),
        cwd: join(folder, 'src'),
      }),
    ).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, '.natter/prompts/git/commit.md'))).toBe(true);
  });

  test('reports what is wrong with the edited file, and an editor that fails', async () => {
    const { run } = createPromptProject({ '.natter/prompts/a.md': '---\nmodel: x\n' });
    const edit = (EDITOR: string) => run(['prompts', 'edit', 'a'], { env: { EDITOR } });
    const problem = '.natter/prompts/a.md:3: a prompt file cannot set "modle"';
    expectFailure(await edit(`sh -c 'printf "modle: y\\n---\\n" >> "$1"' --`), 2, problem);
    expectFailure(await edit('false'), 2, 'the editor (false) exited with an error');
    expectFailure(await edit('/none/editor'), 3);
  });

  test.each([
    ['../up', /"\.\.\/up" cannot be the name of a prompt file/],
    ['a b', /"a b" cannot be the name/],
    ['.hidden', /"\.hidden" cannot be the name/],
  ])('refuses the name %j', async (name, message) => {
    const { run } = createPromptProject();
    expectFailure(await run(['prompts', 'edit', name], { env: { EDITOR: 'true' } }), 2, message);
  });
});

test('a prompt that begins with prompts has a hint with the command that sends it', async () => {
  const { run } = createPromptProject();
  const result = await run(['prompts', 'are', 'useful']);
  expectFailure(result, 2, 'to send it as a prompt: natter chat prompts are useful');
});

const importFiles = {
  'patterns/summarize/system.md': '# PURPOSE\n\nYou summarize in {{lang}}.\n',
  'patterns/explain/system.md': 'Explain: {{input}}\n',
  '.claude/commands/git/fix.md':
    '---\nallowed-tools: Bash(git add:*), Bash(git status:*)\nargument-hint: [issue] [priority]\n---\nFix #$1, priority $2. All: $ARGUMENTS\n',
  'brief.yaml': 'system: Be $mood.\nprompt: "For $$5: $input"\ndefaults:\n  mood: calm\n',
};

const runs: readonly (readonly [path: string, name: string, words: readonly string[]])[] = [
  ['patterns/summarize', 'summarize', ['--lang=French']],
  ['patterns/explain', 'explain', []],
  ['.claude/commands/git/fix.md', 'git/fix', ['12', 'high']],
  ['brief.yaml', 'brief', ['--mood=angry']],
];

describe('prompts of other programs', () => {
  const messages = [
    ['# PURPOSE\n\nYou summarize in French.', 'text'],
    ['Explain: text'],
    ['Fix #12, priority high. All: 12 high\n\ntext'],
    ['Be angry.', 'For $5: text'],
  ];

  test('have the same messages before and after the import', async () => {
    const { run, dryRun } = createPromptProject(importFiles);
    const sent = async (file: string, words: readonly string[]) => {
      const { request } = await dryRun(['run', file, ...words], { input: 'text' });
      return request.body.messages.map(({ content }) => content);
    };
    const before = [];
    for (const [path, , words] of runs) before.push(await sent(path, words));
    expect(before).toEqual(messages);
    const importing = ['prompts', 'import', 'patterns', '.claude/commands', 'brief.yaml'];
    expect(await run(importing)).toMatchObject({
      code: 0,
      stderr:
        'natter: .claude/commands/git/fix.md:2: natter has no tools; the model gets only the text\n',
    });
    const after = [];
    for (const [, name, words] of runs) after.push(await sent(name, words));
    expect(after).toEqual(messages);
  });

  test('a folder called user.md beside system.md is not part of the pattern', async () => {
    const { prompt } = createPromptProject({ 'q/system.md': 'Sum up.', 'q/user.md/a.txt': 'a' });
    expect(await prompt(['./q', 'words'])).toBe('words');
  });

  test('report a missing word with the file, the line and the words expected', async () => {
    const { run } = createPromptProject(importFiles);
    const failed = await run(['run', '.claude/commands/git/fix.md', '--sandbox']);
    const problem = '.claude/commands/git/fix.md:5: $1 has no value';
    expectFailure(failed, 2, problem, '[issue] [priority]');
  });

  test.each([
    ['[issue] [priority]', ''],
    ['<issue> [high or low]', ''],
    ['<issue> <priority>', '$2 has no value'],
    ['[words]', '$2 has no value'],
  ])('after the first, words in brackets may be missing: %s', async (hint, problem) => {
    const content = `---\nargument-hint: "${hint}"\n---\n[sandbox echo] Fix $1, $2.`;
    const { run } = createPromptProject({ 'fix.md': content });
    const { stdout, stderr } = await run(['run', 'fix.md', '12', '--sandbox']);
    expect(stdout).toBe(problem === '' ? 'Fix 12, .\n' : '');
    expect(stderr).toContain(problem);
  });
});

describe('natter prompts import', () => {
  test('prints the names and the files, into the project with --project', async () => {
    const { run, folder } = createPromptProject(importFiles);
    const { stdout } = await run(['prompts', 'import', 'patterns', '--project']);
    const path = (name: string) => join(folder, '.natter/prompts', `${name}.md`);
    expect(stdout).toBe(`explain\t${path('explain')}\nsummarize\t${path('summarize')}\n`);
    expect(readFileSync(path('summarize'), 'utf8')).toBe(
      '---\nsystem: |-\n  # PURPOSE\n\n  You summarize in {{lang}}.\n---\n',
    );
  });

  test('replaces an existing file only with --force', async () => {
    const { run, config } = createPromptProject(importFiles);
    const words = ['prompts', 'import', 'brief.yaml', '--name', 'short'];
    expect((await run(words)).code).toBe(0);
    const file = join(config, 'prompts/short.md');
    expectFailure(await run(words), 2, `natter: ${file} exists\n  --force replaces it\n`);
    expect((await run([...words, '--force'])).code).toBe(0);
  });

  test('--force replaces a link, not the file that it leads to', async () => {
    const { run, folder: project, write } = createPromptProject(importFiles);
    write({ 'outside.txt': 'kept' });
    const folder = join(project, '.natter/prompts');
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(project, 'outside.txt'), join(folder, 'brief.md'));
    const words = ['prompts', 'import', 'brief.yaml', '--project', '--force'];
    expect(await run(words)).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, 'outside.txt'), 'utf8')).toBe('kept');
    expect(lstatSync(join(folder, 'brief.md')).isSymbolicLink()).toBe(false);
  });

  test('imports the other files if one is wrong', async () => {
    const { run, config, write } = createPromptProject(importFiles);
    write({ 'patterns/bad.yaml': 'prompt: a\nfragments: [x]\n' });
    const { code, stderr } = await run(['prompts', 'import', 'patterns']);
    expect(code).toBe(2);
    expect(stderr).toContain('bad.yaml:2: natter cannot use "fragments"');
    expect(stderr).toContain('1 of 3 prompt files were not imported');
    expect(existsSync(join(config, 'prompts/explain.md'))).toBe(true);
  });

  test.each([
    [['none'], 6, /there is no file or folder none/],
    [['empty'], 6, /empty contains no prompt files/],
    [['patterns', '--name', 'a'], 2, /--name is for one prompt file, not for 2/],
    [['brief.yaml', '--name', '../a'], 2, /"\.\.\/a" cannot be the name of a prompt file/],
  ])('%j is refused', async (words, expected, message) => {
    const { run } = createPromptProject({ ...importFiles, 'empty/a.txt': '' });
    expectFailure(await run(['prompts', 'import', ...words]), expected, message);
  });
});
