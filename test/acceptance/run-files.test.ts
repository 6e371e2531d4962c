import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { streamed } from '../support/raw-replies.ts';
import { githubToken } from '../support/secret-shapes.ts';
import { serve } from '../support/serve.ts';
import { createPromptProject } from '../support/prompt-project.ts';

describe('includes', () => {
  test('are relative to their file, have placeholders, and no front matter', async () => {
    const { prompt } = createPromptProject({
      '.natter/prompts/review.md': 'A\n{{include:parts/style.md}}\nB {{file:../../notes.txt}}',
      '.natter/prompts/parts/style.md':
        '---\ntitle: Style\n---\n\nin {{lang}}, {{include:end.md}}\n',
      '.natter/prompts/parts/end.md': 'briefly\n',
      'notes.txt': 'notes\n',
    });
    expect(await prompt(['review', '--lang=French'])).toBe('A\nin French, briefly\nB notes\n');
  });

  test.each([
    [{ 'a.md': '{{include:a.md}}' }, /a\.md:1: a\.md includes itself/],
    [
      { 'a.md': '{{include:b.md}}', 'b.md': '\n{{include:a.md}}' },
      /b\.md:2: a\.md includes itself/,
    ],
    [
      { 'a.md': '\n{{include:none.md}}' },
      /a\.md:2: cannot include none\.md: there is no such file/,
    ],
    [{ 'a.md': '{{file:sub}}', 'sub/x': '' }, /a\.md:1: cannot insert sub: it is not a file/],
    [{ 'a.md': '{{include:b.md}}', 'b.md': '1\n{{x}}' }, /b\.md:2: the variable x has no value/],
    [
      { 'a.md': '{{x}}\n{{y}} {{z}}' },
      /a\.md:1: the variable x.+, nor has y \(a\.md:2\), nor has z\n/,
    ],
  ])('%j is refused with the file and the line', async (files, message) => {
    const { run } = createPromptProject(files);
    const { code, stdout, stderr } = await run(['run', 'a.md', '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('that double with each level are refused', async () => {
    const levels = Array.from({ length: 20 }, (_, level) => [
      `l${level}.md`,
      `{{include:l${level + 1}.md}}{{include:l${level + 1}.md}}`,
    ]);
    const { run } = createPromptProject(Object.fromEntries([...levels, ['l20.md', 'x']]));
    const { code, stderr } = await run(['run', 'l0.md', '--sandbox']);
    expect(code).toBe(2);
    expect(stderr).toContain('more than 500 files are included');
  });
});

const outside = (text: string) => {
  const project = createPromptProject({ '.natter/prompts/a.md': text, 'inside.txt': 'in' });
  const secret = join(dirname(project.folder), 'secret.txt');
  writeFileSync(secret, 'secret');
  return { ...project, secret };
};

describe('a prompt file of a project', () => {
  test.each([
    ['{{file:../../../secret.txt}}', /a\.md:1: cannot insert .*: it is outside the project/],
    ['{{include:../../../secret.txt}}', /a\.md:1: cannot include .*: it is outside the project/],
    ['{{file:../../../none.txt}}', /it is outside the project/],
    ['{{file:/etc/passwd}}', /cannot insert \/etc\/passwd: the path must be relative/],
    ['{{file:~/.ssh/id_rsa}}', /the path must be relative/],
    [String.raw`{{file:C:\Windows\win.ini}}`, /the path must be relative/],
    ['{{file:link.txt}}', /cannot insert link\.txt: it is outside the project/],
    ['{{include:folder/secret.txt}}', /cannot include .*: it is outside the project/],
  ])('cannot read outside it: %s', async (text, message) => {
    const { run, folder, secret } = outside(`${text}\n`);
    symlinkSync(secret, join(folder, '.natter/prompts/link.txt'));
    symlinkSync(dirname(secret), join(folder, '.natter/prompts/folder'));
    for (const name of ['a', '.natter/prompts/a.md']) {
      const { code, stdout, stderr } = await run(['run', name, '--sandbox']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain('secret\n');
    }
  });

  test('cannot be a link to a file outside it', async () => {
    const { run, folder, secret } = outside('');
    symlinkSync(secret, join(folder, '.natter/prompts/b.md'));
    const { code, stdout, stderr } = await run(['run', 'b', '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('.natter/prompts/b.md is a link to a file outside the project');
    expect((await run(['prompts'])).stdout).toMatch(/^b\tproject\t\t.* is a link to a file/m);
  });

  test('can read a file of the project, also through a link', async () => {
    const { prompt, folder } = outside('{{file:../../inside.txt}} {{file:link.txt}}');
    symlinkSync(join(folder, 'inside.txt'), join(folder, '.natter/prompts/link.txt'));
    expect(await prompt(['a'])).toBe('in in');
  });

  test('in a home folder that is a repository can read only its own folder', async () => {
    const { run, config } = createPromptProject();
    const home = dirname(dirname(config));
    execFileSync('git', ['init', '--quiet', home]);
    mkdirSync(join(home, 'work/.natter/prompts'), { recursive: true });
    writeFileSync(join(home, 'work/.natter/prompts/a.md'), '{{file:../../../secret.txt}}');
    writeFileSync(join(home, 'secret.txt'), 'secret');
    const { code, stderr } = await run(['run', 'a', '--sandbox'], { cwd: join(home, 'work') });
    expect(code).toBe(2);
    expect(stderr).toContain('it is outside the project');
  });
});

test('a file named by its path can read only its own folder, without a repository', async () => {
  const { run, folder } = createPromptProject();
  const place = dirname(folder);
  mkdirSync(join(place, 'sub'));
  writeFileSync(join(place, 'secret.txt'), 'secret');
  writeFileSync(join(place, 'sub/a.md'), '{{file:../secret.txt}}');
  const { code, stderr } = await run(['run', join(place, 'sub/a.md'), '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain('it is outside the folder of the prompt file');
});

test('your own prompt file can follow your links, but names no path outside your folder', async () => {
  const { run, prompt, config, folder } = createPromptProject();
  const prompts = join(config, 'prompts');
  mkdirSync(prompts, { recursive: true });
  writeFileSync(join(dirname(folder), 'dotfile.md'), 'mine {{file:data.txt}}');
  writeFileSync(join(prompts, 'data.txt'), 'data');
  symlinkSync(join(dirname(folder), 'dotfile.md'), join(prompts, 'mine.md'));
  expect(await prompt(['mine'])).toBe('mine data');
  writeFileSync(join(prompts, 'b.md'), '{{file:../config.json}}');
  const { code, stderr } = await run(['run', 'b', '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain('it is outside your folder of prompts');
});

test('a file that is not UTF-8 text is named as in messages, with advice that applies to it', async () => {
  const { run } = createPromptProject({ 'a.md': 'x\0', 'b.md': '{{file:a.md}}' });
  for (const name of ['a.md', 'b.md']) {
    const { code, stderr } = await run(['run', name, '--sandbox']);
    expect(stderr).toBe('natter: a.md is binary: byte 1 is NUL\n  save it as UTF-8 text\n');
    expect(code).toBe(2);
  }
});

test.each(['{{file:log.txt}}', '{{include:log.txt}}'])(
  'a secret in %s is not sent to a different machine',
  async (text) => {
    const { run } = createPromptProject({ 'a.md': text, 'log.txt': `key ${githubToken}\n` });
    const server = await serve([[streamed('Hello')]]);
    // An address that is not a loopback name, as far as natter knows.
    const env = { NATTER_BASE_URL: `http://0.0.0.0:${new URL(server.url).port}` };
    const { code, stderr } = await run(['run', 'a.md'], { env });
    expect(code).toBe(17);
    expect(stderr).toMatch(/^natter: log\.txt line 1 has a GitHub token/);
    expect(server.requests).toEqual([]);
  },
);
