import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf, writeFiles } from '../../support/folder.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { createPromptProject } from '../../support/prompt-project.ts';
import { streamed } from '../../support/raw-replies.ts';
import { githubToken } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';

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
    [{ 'a.md': '{{include:b.md}}', 'b.md': '\n{{include:a.md}}' }, /b\.md:2: a\.md includes it/],
    [{ 'a.md': '\n{{include:none.md}}' }, /a\.md:2: cannot use none\.md: there is no such file/],
    [{ 'a.md': '{{file:sub}}', 'sub/x': '' }, /a\.md:1: cannot use sub: it is not a file/],
    [{ 'a.md': '{{include:b.md}}', 'b.md': '1\n{{x}}' }, /b\.md:2: the variable x has no value/],
    [{ 'a.md': '{{x}}\n{{y}} {{z}}' }, /a\.md:1: the variable x.+, nor has y, nor has z\n/],
  ])('%j is refused with the file and the line', async (files, message) => {
    const { run } = createPromptProject(files);
    expectFailure(await run(['run', 'a.md', '--sandbox']), 2, message);
  });

  test('that double with each level are refused', async () => {
    const twice = (level: number) => `{{include:l${level}.md}}`.repeat(2);
    const levels = Array.from({ length: 20 }, (_, level) => [`l${level}.md`, twice(level + 1)]);
    const { run } = createPromptProject(Object.fromEntries([...levels, ['l20.md', 'x']]));
    expectFailure(await run(['run', 'l0.md', '--sandbox']), 2, 'more than 500 files are included');
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
    ['{{file:../../../secret.txt}}', /a\.md:1: cannot use .*: it is outside the project/],
    ['{{include:../../../secret.txt}}', /a\.md:1: cannot use .*: it is outside the project/],
    ['{{file:../../../none.txt}}', /it is outside the project/],
    ['{{file:/etc/passwd}}', /cannot use \/etc\/passwd: the path must be relative/],
    ['{{file:~/.ssh/id_rsa}}', /the path must be relative/],
    [String.raw`{{file:C:\Windows\win.ini}}`, /the path must be relative/],
    ['{{file:link.txt}}', /cannot use link\.txt: it is outside the project/],
    ['{{include:folder/secret.txt}}', /cannot use .*: it is outside the project/],
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
    const result = await run(['run', 'b', '--sandbox']);
    expectFailure(result, 2, '.natter/prompts/b.md is a link to a file outside the project');
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
    const prompt = { 'work/.natter/prompts/a.md': '{{file:../../../secret.txt}}' };
    writeFiles(home, { ...prompt, 'secret.txt': 'secret' });
    const result = await run(['run', 'a', '--sandbox'], { cwd: join(home, 'work') });
    expectFailure(result, 2, 'it is outside the project');
  });
});

test('a file named by its path can read only its own folder, without a repository', async () => {
  const { run, folder } = createPromptProject();
  const place = dirname(folder);
  writeFiles(place, { 'secret.txt': 'secret', 'sub/a.md': '{{file:../secret.txt}}' });
  const result = await run(['run', join(place, 'sub/a.md'), '--sandbox']);
  expectFailure(result, 2, 'it is outside the folder of the prompt file');
});

test('your own prompt file can follow your links, but names no path outside your folder', async () => {
  const { run, prompt, config, folder } = createPromptProject();
  const prompts = join(config, 'prompts');
  writeFiles(dirname(folder), { 'dotfile.md': 'mine {{file:data.txt}}' });
  writeFiles(prompts, { 'data.txt': 'data' });
  symlinkSync(join(dirname(folder), 'dotfile.md'), join(prompts, 'mine.md'));
  expect(await prompt(['mine'])).toBe('mine data');
  writeFileSync(join(prompts, 'b.md'), '{{file:../config.json}}');
  expectFailure(await run(['run', 'b', '--sandbox']), 2, 'it is outside your folder of prompts');
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
    const result = await run(['run', 'a.md'], { env });
    expectFailure(result, 17, /^natter: log\.txt line 1 has a GitHub token/);
    expect(server.requests).toEqual([]);
  },
);

const echo = '[sandbox echo]';

const front = (...lines: readonly string[]) => ['---', ...lines, '---', ''].join('\n');

describe('variables', () => {
  const files = {
    'plain.md': 'one\n{{topic}} and {{tone}}\n',
    'choices.md': `${front('variables:', '  lang: [ts, js]', '  tone: kind')}{{lang}} {{tone}}`,
    'input.md': 'sum up {{input}}',
    'none.md': 'text',
    'stdin.md': 'a\n\n{{stdin}}\n',
    'option.md': 'a\n{{model}}\n',
  };

  test.each([
    [['plain.md'], /plain\.md:2: the variable topic has no value, nor has tone\n/],
    [['plain.md'], /\n {2}add --topic=TEXT --tone=TEXT\n/],
    [['input.md'], /\n {2}add --input=TEXT; standard input is \{\{stdin\}\}\n/],
    [['plain.md', '--topic=a'], /plain\.md:2: the variable tone has no value/],
    [['plain.md', '--topci=a'], /plain\.md has no variable "topci"\n {2}did you mean --topic\?/],
    [['plain.md', '--topic'], /plain\.md:2: --topic needs a value\n {2}--topic=TEXT/],
    [['plain.md', '--topic', '-', '--tone=b'], /plain\.md:2: --topic needs a value/],
    [['plain.md', '-z'], /unknown option '-z'/],
    [['choices.md'], /choices\.md:6: the variable lang has no value\n {2}add --lang=ts/],
    [['choices.md', '--lang=py'], /choices\.md:3: lang must be one of ts, js, not "py"/],
    [['choices.md', '--topic=a'], /its variables are lang, tone/],
    [['none.md', '--topic=a'], /none\.md has no variable "topic"\n {2}it has no variables/],
    [['option.md', '--model=x'], /option\.md:2: the variable model has the name of an option/],
    [['stdin.md', '--no-stdin'], /stdin\.md:3: \{\{stdin\}\} needs text, but --no-stdin/],
    [['stdin.md'], /stdin\.md:3: \{\{stdin\}\} needs text, but standard input is empty\n {2}for/],
    [['none.md', '--split', 'auto'], /natter run does not take --split\n.+write the prompt itself/],
    [['none.md', '--every=30s'], /natter run does not take --every\n.+write the prompt itself/],
    [['none.md', '-i'], /natter run does not take -i\n.+natter -i --continue/],
  ])('%j: the problem is named with file and line', async (words, message) => {
    const { run } = createPromptProject(files);
    expectFailure(await run(['run', ...words, '--sandbox']), 2, message);
  });

  test.each(['{{lang|ts}}', '{{lang:ts}}', '{{ lang = ts }}'])(
    '%s is sent as text, with a notice that names the line',
    async (text) => {
      const content = `${front('title: t')}\n${echo}${text} ${text}`;
      const { run } = createPromptProject({ 'a.md': content });
      const { stdout, stderr } = await run(['run', 'a.md', '--sandbox']);
      expect(stdout).toBe(`${text} ${text}\n`);
      expect(stderr.split('\n').filter((line) => line.includes('is sent as text'))).toEqual([
        `natter: a.md:5: ${text} is sent as text; a default is set under variables: in the front matter`,
      ]);
    },
  );

  test.each([String.raw`\{{lang|ts}}`, '${{ a | b }}', '{{#if x}}'])(
    '%s causes no notice',
    async (text) => {
      const { run } = createPromptProject({ 'a.md': text });
      const { stderr } = await run(['run', 'a.md', '--sandbox']);
      expect(stderr).not.toContain('is sent as text');
    },
  );

  test('may have the name of an option of natter chat', async () => {
    const { prompt } = createPromptProject({ 'cut.md': 'at {{split}}' });
    expect(await prompt(['cut.md', '--split=lines'])).toBe('at lines');
  });

  test('have defaults', async () => {
    const { prompt } = createPromptProject(files);
    expect(await prompt(['choices.md', '--lang=js'])).toBe('js kind');
  });
});

describe('natter run NAME --help', () => {
  const files = {
    'a.md': '{{style}} {{include:b.md}}',
    'b.md': `${front('model: x')}{{mood}}`,
    'pattern/system.md': `${front('variables:', '  who: { choices: [me, you], description: speaker }', '  x: "1"')}{{who}} {{x}}`,
    'none.md': 'text',
  };

  test.each([
    [['a.md', '--help'], ':\n  --style <text>  required\n  --mood <text>   required\n\n'],
    [
      ['pattern/system.md', '--help'],
      '  --who <text>  speaker; one of me, you; required\n  --x <text>    default 1\n',
    ],
    [['--help', 'a.md'], 'Variables of a.md:\n'],
    [['a.md', '-h'], '\n\nVariables of a.md: --style, --mood\n\n'],
  ])('%j lists the variables, those of included files, too', async (words, expected) => {
    const { run } = createPromptProject(files);
    const { code, stdout, stderr } = await run(['run', ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(expected);
    expect(stdout).toContain('Usage: natter run');
  });

  test('lists none for a file without variables, and warns of a file that cannot be used', async () => {
    const { run } = createPromptProject(files);
    const { stdout } = await run(['run', 'none.md', '--help']);
    const stderr = 'natter: warning: there is no prompt file "missing.md"\n';
    expect(await run(['run', 'missing.md', '--help'])).toMatchObject({ code: 0, stdout, stderr });
    expect(stdout).not.toContain('Variables of');
  });
});

// A socket exists, and reading it fails for every user.
test.skipIf(process.platform === 'win32')(
  'the name of a file that cannot be read is never a field of a schema',
  async () => {
    const cwd = folderOf();
    const server = createServer().listen(join(cwd, 'person'));
    await once(server, 'listening');
    const words = ['--sandbox', '--schema', 'person', 'who?'];
    const { code, stdout, stderr } = await runInMemory(words, { cwd });
    server.close();
    expect(stderr).toContain('natter: cannot read person: ');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  },
);

describe('names', () => {
  const prompts = {
    '.natter/prompts/review.md': 'Project.',
    '.natter/prompts/git/commit.md': 'C.',
  };

  test('are found in the project, also from a folder below, then in the settings folder', async () => {
    const project = createPromptProject(prompts);
    const { folder, config, prompt } = project;
    project.write({ 'src/deep/file': '' });
    writeFiles(config, { 'prompts/review.md': 'Mine.', 'prompts/own.md': 'Own.' });
    expect(await prompt(['review'], { cwd: join(folder, 'src/deep') })).toBe('Project.');
    expect(await prompt(['git/commit'])).toBe('C.');
    expect(await prompt(['own'])).toBe('Own.');
    expect(await prompt(['review'], { cwd: config })).toBe('Mine.');
  });

  test('are not looked up above the repository', async () => {
    const { folder, run } = createPromptProject({ ...prompts, 'other/.git/HEAD': '' });
    const below = createPromptProject();
    const result = await run(['run', 'review'], { cwd: join(folder, 'other') });
    expectFailure(result, 6, 'natter: there is no prompt file "review"\n');
    expect((await below.run(['run', 'review'])).code).toBe(6);
  });

  test.each([
    [['greet'], 'natter prompts lists prompt files; natter prompts edit greet creates it'],
    [['away', 'with', 'me', '--sandbox'], 'to send it as a prompt: natter chat run away with me'],
    [['--lang', 'ts', 'review'], 'put the name of the prompt file first: natter run NAME --lang'],
    [['reveiw'], 'did you mean review?'],
  ])('without a file of that name, natter run %j is refused with a hint', async (words, hint) => {
    const result = await createPromptProject(prompts).run(['run', ...words]);
    expectFailure(result, 6, /^natter: there is no prompt file "/, `\n  ${hint}`);
  });
});

test.each([
  [['fix.md', '--', '--hard', '-m'], 'fix: --hard -m'],
  [['fix.md', 'it', '--', '--hard'], 'fix: it --hard'],
  [['tone.md', '--tone', 'kind', 'and', '--', '--tone', 'rude'], 'kind\n\nand --tone rude'],
  [['tone.md', '--tone=kind', 'and', '--', '--tone=rude'], 'kind\n\nand --tone=rude'],
])('natter run %j sends the words after -- as text', async (words, expected) => {
  const { run } = createPromptProject({ 'fix.md': 'fix: $ARGUMENTS', 'tone.md': '{{tone}}' });
  const { stdout } = await run(['run', '--sandbox', '--dry-run', ...words]);
  const body = { messages: [{ content: expected }] };
  expect(JSON.parse(stdout)).toMatchObject({ request: { body } });
});
