import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPromptProject } from '../support/prompt-project.ts';

const files = {
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
  test.each(runs)('%s sends the same before and after the import', async (path, name, words) => {
    const { run, dryRun } = createPromptProject(files);
    const input = 'text';
    const before = await dryRun(['run', path, ...words], { input });
    const imported = await run(['prompts', 'import', 'patterns', '.claude/commands', 'brief.yaml']);
    expect(imported).toMatchObject({
      code: 0,
      stderr:
        'natter: .claude/commands/git/fix.md:2: natter has no tools; the model gets only the text\n',
    });
    const after = await dryRun(['run', name, ...words], { input });
    expect(after.request.body).toEqual(before.request.body);
  });

  test('have the expected messages', async () => {
    const { dryRun } = createPromptProject(files);
    const messages = [];
    for (const [path, , words] of runs) {
      const { request } = await dryRun(['run', path, ...words], { input: 'text' });
      messages.push(request.body.messages.map(({ content }) => content));
    }
    expect(messages).toEqual([
      ['# PURPOSE\n\nYou summarize in French.', 'text'],
      ['Explain: text'],
      ['Fix #12, priority high. All: 12 high\n\ntext'],
      ['Be angry.', 'For $5: text'],
    ]);
  });

  test('a folder called user.md beside system.md is not part of the pattern', async () => {
    const { prompt } = createPromptProject({
      'q/system.md': 'You sum up.',
      'q/user.md/notes.txt': 'notes',
    });
    expect(await prompt(['./q', 'words'])).toBe('words');
  });

  test('report a missing word with the file, the line and the words expected', async () => {
    const { run } = createPromptProject(files);
    const { code, stderr } = await run(['run', '.claude/commands/git/fix.md', '12', '--sandbox']);
    expect(code).toBe(2);
    expect(stderr).toContain('.claude/commands/git/fix.md:5: $2 has no value');
    expect(stderr).toContain('[issue] [priority]');
  });
});

describe('natter prompts import', () => {
  test('prints the names and the files, into the project with --project', async () => {
    const { run, folder } = createPromptProject(files);
    const { stdout } = await run(['prompts', 'import', 'patterns', '--project']);
    const path = (name: string) => join(folder, '.natter/prompts', `${name}.md`);
    expect(stdout).toBe(`explain\t${path('explain')}\nsummarize\t${path('summarize')}\n`);
    expect(readFileSync(path('summarize'), 'utf8')).toBe(
      '---\nsystem: |-\n  # PURPOSE\n\n  You summarize in {{lang}}.\n---\n',
    );
  });

  test('replaces an existing file only with --force', async () => {
    const { run, config } = createPromptProject(files);
    const words = ['prompts', 'import', 'brief.yaml', '--name', 'short'];
    expect((await run(words)).code).toBe(0);
    const { code, stderr } = await run(words);
    const file = join(config, 'prompts/short.md');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `natter: ${file} exists\n  --force replaces it\n`,
    });
    expect((await run([...words, '--force'])).code).toBe(0);
  });

  test('--force replaces a link, not the file that it leads to', async () => {
    const { run, folder: project, write } = createPromptProject(files);
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
    const { run, config, write } = createPromptProject(files);
    write({ 'patterns/bad.yaml': 'prompt: a\nfragments: [x]\n' });
    const { code, stderr } = await run(['prompts', 'import', 'patterns']);
    expect(code).toBe(2);
    expect(stderr).toContain('patterns/bad.yaml:2: natter cannot use "fragments"');
    expect(stderr).toContain('1 of 3 prompt files were not imported');
    expect(existsSync(join(config, 'prompts/explain.md'))).toBe(true);
  });

  test.each([
    [['none'], 6, /there is no file or folder none/],
    [['empty'], 6, /empty contains no prompt files/],
    [['patterns', '--name', 'a'], 2, /--name is for one prompt file, not for 2/],
    [['brief.yaml', '--name', '../a'], 2, /"\.\.\/a" cannot be the name of a prompt file/],
  ])('%j is refused', async (words, expected, message) => {
    const { run } = createPromptProject({ ...files, 'empty/a.txt': '' });
    const { code, stderr } = await run(['prompts', 'import', ...words]);
    expect(code).toBe(expected);
    expect(stderr).toMatch(message);
  });
});
