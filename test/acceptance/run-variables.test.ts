import { describe, expect, test } from 'vitest';
import { createPromptProject } from '../support/prompt-project.ts';

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
    [['plain.md', '--topic', '--tone=b'], /plain\.md:2: --topic needs a value/],
    [['plain.md', '--topic', '-', '--tone=b'], /plain\.md:2: --topic needs a value/],
    [['plain.md', '--topci', 'a'], /plain\.md has no variable "topci"\n {2}did you mean --topic\?/],
    [['choices.md', '--lang', 'py'], /choices\.md:3: lang must be one of ts, js, not "py"/],
    [['plain.md', 'topic=a'], /"topic=a" does not set the variable topic\n {2}write --topic=a/],
    [['plain.md', '-x'], /unknown option '-x'/],
    [['choices.md'], /choices\.md:6: the variable lang has no value\n {2}add --lang=ts/],
    [['choices.md', '--lang=py'], /choices\.md:3: lang must be one of ts, js, not "py"/],
    [['choices.md', '--topic=a'], /its variables are lang, tone/],
    [['none.md', '--topic=a'], /none\.md has no variable "topic"\n {2}it has no variables/],
    [['option.md', '--model=x'], /option\.md:2: the variable model has the name of an option/],
    [['stdin.md', '--no-stdin'], /stdin\.md:3: \{\{stdin\}\} is standard input, but --no-stdin/],
    [
      ['stdin.md'],
      /stdin\.md:3: \{\{stdin\}\} is standard input, but it is empty\n {2}for example/,
    ],
    [['none.md', '--split', 'auto'], /natter run does not take --split\n.+natter --split auto/],
    [['none.md', '--every=30s'], /natter run does not take --every\n.+\| natter --every/],
    [['none.md', '-i'], /natter run does not take -i\n.+natter -i --continue/],
  ])('%j: the problem is named with file and line', async (words, message) => {
    const { run } = createPromptProject(files);
    const { code, stdout, stderr } = await run(['run', ...words, '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test.each(['{{lang|ts}}', '{{lang:ts}}', '{{ lang = ts }}'])(
    '%s is sent as text, with a notice that names the line',
    async (text) => {
      const { run } = createPromptProject({
        'a.md': `${front('title: t')}\n${echo}${text} ${text}`,
      });
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
    [
      ['a.md', '--help'],
      'Variables of a.md:\n  --style <text>  required\n  --mood <text>   required\n\n',
    ],
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
    const missing = await run(['run', 'missing.md', '--help']);
    expect(missing).toMatchObject({
      code: 0,
      stdout,
      stderr: 'natter: warning: there is no prompt file "missing.md"\n',
    });
    expect(stdout).not.toContain('Variables of');
  });
});
