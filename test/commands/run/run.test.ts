import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { writeFiles } from '../../support/folder.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { serviceAt } from '../../support/natter.ts';
import { createPromptProject } from '../../support/prompt-project.ts';
import { streamed } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

const echo = '[sandbox echo]';

const front = (...lines: readonly string[]) => ['---', ...lines, '---', ''].join('\n');

describe('a plain Markdown file', () => {
  test('is the prompt, without blank lines at its ends', async () => {
    const { run } = createPromptProject({ 'ask.md': `\n${echo}# Title\n\nText.\n\n` });
    const { code, stdout } = await run(['run', 'ask.md', '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '# Title\n\nText.\n' });
  });

  test.each([
    ['standard input follows it', 'Review this:', [], 'code', 'Review this:\n\ncode'],
    ['standard input replaces {{stdin}}', 'a {{stdin}} b', [], 'X', 'a X b'],
    ['a variable has the value of its option', '{{ lang }}!', ['--lang=ts'], '', 'ts!'],
    ['a value may be the next word', '{{lang}}! {{x}}', ['--lang', 'ts', '--x', ''], '', 'ts! '],
    ['a value is not one of its words', '{{a}}:', ['b', '--a', 'c', 'd'], '', 'c:\n\nb d'],
    ['a value may have the name of a command', '{{a}}', ['--a', 'run'], '', 'run'],
    ['a value may follow options', '{{a}}', ['-m', 'nextgen', '--a', 'b', '-t', '9'], '', 'b'],
    ['words follow it', 'Sum up.', ['in', 'French'], '', 'Sum up.\n\nin French'],
    ['a value may be empty', '[{{x}}]', ['--x='], '', '[]'],
    ['a value may have several lines', '[{{x}}]', ['--x=1\n2'], '', '[1\n2]'],
    ['a backslash makes it text', String.raw`\{{x}} \{{stdin}}`, [], '', '{{x}} {{stdin}}'],
    ['other braces are text', '${{ a.b }} {{#if}}', [], '', '${{ a.b }} {{#if}}'],
    ['a dollar sign and a digit are text', "awk '{print $1}'", ['x'], '', "awk '{print $1}'\n\nx"],
  ])('%s', async (_name, text, words, input, expected) => {
    const { prompt } = createPromptProject({ 'ask.md': `${text}\n` });
    expect(await prompt(['ask.md', ...words], { input })).toBe(expected);
  });

  test('files of -f are between it and standard input', async () => {
    const { prompt } = createPromptProject({ 'ask.md': 'Ask.', 'notes.txt': 'n\n' });
    const text = await prompt(['ask.md', '-f', 'notes.txt'], { input: 'in' });
    expect(text).toBe('Ask.\n\n<file name="notes.txt">\nn\n</file>\n\nin');
  });

  test('nothing that is inserted is expanded again', async () => {
    const data = { 'data.txt': '{{file:secret.txt}} {{x}} {{stdin}}', 'secret.txt': 'secret' };
    const { prompt } = createPromptProject({
      'ask.md': '{{x}} {{stdin}} {{file:data.txt}}',
      ...data,
    });
    const input = '{{file:secret.txt}} {{x}}';
    const text = await prompt(['ask.md', '--x={{stdin}} {{y}}'], { input });
    expect(text).toBe(`{{stdin}} {{y}} ${input} {{file:secret.txt}} {{x}} {{stdin}}`);
  });
});

describe('front matter', () => {
  const review = front(
    'description: Reviews code',
    'model: nextgen',
    'system: |',
    '  You know {{lang}}.',
    'max-tokens: 50',
    'params: { temperature: 0.2 }',
    'variables:',
    '  lang: { choices: [ts, js], default: js }',
  );

  test('sets model, system prompt, tokens and parameters, with the file as their source', async () => {
    const { dryRun } = createPromptProject({ 'review.md': `${review}Review {{lang}}.\n` });
    const { request, settings } = await dryRun(['run', 'review.md', '--lang=ts']);
    const [system, user] = request.body.messages;
    expect(system).toEqual({ role: 'system', content: 'You know ts.' });
    expect(user).toEqual({ role: 'user', content: 'Review ts.' });
    const others = { model: 'nextgen', stream: true, max_tokens: 50, temperature: 0.2 };
    expect(request.body).toEqual({ ...others, messages: [system, user] });
    const sources = settings.filter(({ source }) => source === 'prompt file review.md');
    const names = sources.map(({ name }) => name);
    expect(names).toEqual(['model', 'system', 'max-tokens', 'params.temperature']);
  });

  test('is overridden by options, and overrides variables of the environment', async () => {
    const { dryRun } = createPromptProject({ 'review.md': `${review}Review {{lang}}.\n` });
    const words = ['-m', 'origin', '-s', 'Be brief.', '-t', '9', '--param', 'temperature=1'];
    const changed = await dryRun(['run', 'review.md', ...words]);
    const messages = [{ role: 'system', content: 'Be brief.' }, { content: 'Review js.' }];
    const body = { model: 'origin', messages, max_tokens: 9, temperature: 1 };
    expect(changed.request.body).toMatchObject(body);
    const { request } = await dryRun(['run', 'review.md'], { env: { NATTER_MODEL: 'origin' } });
    expect(request.body).toMatchObject({ model: 'nextgen' });
  });

  test('has values of JSON: aliases are resolved, and tags without a form in JSON are ignored', async () => {
    const params =
      'params: { a: &a [1, 0x1f, ~], b: *a, c: !!set { x, y }, d: !!timestamp 2001-12-14, ? [1, 2] : e }';
    const { run } = createPromptProject({ 'a.md': `${front('model: nextgen', params)}Go.` });
    const { stdout, stderr } = await run(['run', 'a.md', '--dry-run', '--sandbox']);
    expect(stderr).toBe('');
    const list = [1, 31, null];
    const body = { a: list, b: list, c: { x: null, y: null }, d: '2001-12-14', '[1,2]': 'e' };
    expect(JSON.parse(stdout)).toMatchObject({ request: { body } });
  });

  test('its system prompt can contain standard input', async () => {
    const { dryRun } = createPromptProject({ 'a.md': `${front('system: "Rules: {{stdin}}"')}Go.` });
    const { request } = await dryRun(['run', 'a.md'], { input: 'X' });
    expect(request.body.messages.map(({ content }) => content)).toEqual(['Rules: X', 'Go.']);
  });

  test.each(['', '#!/usr/bin/env -S natter run\n'])(
    'without its last line of dashes is refused, after "%s"',
    async (start) => {
      const { run } = createPromptProject({ 'a.md': `${start}---\nmodel: nextgen\n\nhello\n` });
      const { code, stderr } = await run(['run', 'a.md', '--sandbox']);
      expect(stderr).toMatch(/^natter: a\.md:[12]: the front matter has no end\n {2}write a line/);
      expect(code).toBe(2);
    },
  );

  test('text between two rules of Markdown, or after one, is text', async () => {
    const { prompt, write } = createPromptProject({ 'a.md': '---\nJust text\n---\nmore\n' });
    expect(await prompt(['a.md'])).toBe('---\nJust text\n---\nmore');
    write({ 'a.md': '---\nNote: be brief\n' });
    expect(await prompt(['a.md'])).toBe('---\nNote: be brief');
  });

  test.each([
    ['base-url: http://127.0.0.1:9', /^natter: a\.md:3: a prompt file cannot set "base-url"/],
    ['api-key: k', /cannot set "api-key"/],
    ['proxy: http://127.0.0.1:9', /cannot set "proxy"/],
    ['headers: { x-team: a }', /cannot set "headers"/],
    ['profile: work', /cannot set "profile"/],
    ['allow-insecure: true', /cannot set "allow-insecure"/],
    ['modle: nextgen', /cannot set "modle"\n {2}did you mean model\?/],
    ['max-tokens: many', /a\.md:3: max-tokens must be a whole number/],
    ['model: a b', /a\.md:3: model must be an id without spaces/],
    ['params: { messages: [] }', /the parameter messages in a\.md:3 is set by natter itself/],
    ['params: { seed: 12345678901234567890 }', /cannot send the number in seed unchanged/],
    ['variables: { a: { default: 3, choices: [1, 2] } }', /default of a is not one of its choices/],
    ['variables: { a: { defualt: 3 } }', /the variable a cannot have "defualt"/],
    ['variables: { stdin: x }', /"stdin" is not the name of a variable/],
    ['variables: { b: 1 }', /a\.md:5: \{\{x\}\} is not a variable of this prompt file/],
    ['a: [', /a\.md:4: not valid YAML: Flow sequence/],
    ['model: a\nmodel: b', /a\.md:4: not valid YAML: Map keys must be unique/],
  ])('"%s" is refused with the file and the line', async (line, message) => {
    const { run } = createPromptProject({
      'a.md': front('description: d', line) + '{{x}}\n',
    });
    expectFailure(await run(['run', 'a.md', '--x=1', '--sandbox']), 2, message);
  });
});

test('the options of a prompt work: JSON, a format, the conversation', async () => {
  const { run } = createPromptProject({ 'a.md': `${front('system: Be kind.')}${echo}{{x}}` });
  const first = await run(['run', 'a.md', '--x=one', '--json', '--sandbox']);
  expect(JSON.parse(first.stdout)).toMatchObject({ content: 'one' });
  const second = await run(['run', 'a.md', '--x=two', '-c', '--dry-run', '--sandbox']);
  const texts = ['Be kind.', `${echo}one`, 'one', `${echo}two`];
  const messages = texts.map((content) => ({ content }));
  expect(JSON.parse(second.stdout)).toMatchObject({ request: { body: { messages } } });
});

const projectFiles = {
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
  ['run review --l', ['--lang\tlanguage']],
  ['run review --lang=j', ['--lang=js']],
  ['run review --to', ['--tone\tkind']],
  ['run review --lang ', ['ts', 'js']],
  ['run review --lang j', ['js']],
  ['run review --lang ts --to', ['--tone\tkind']],
  ['run review --tone ', []],
  ['run review --lang=ts ', []],
  ['run -m nextgen review --sandbox --to', ['--tone\tkind']],
  ['run rewrite --sty', ['--style\tvariable']],
  ['run ./notes.md --top', ['--topic\tvariable']],
  ['run none --top', []],
  ['run broken --x', []],
  ['run review --mod', ['--model\tmodel']],
  ['run review re', []],
])('the candidates for "natter %s" are %j', async (line, expected) => {
  const { run, config } = createPromptProject(projectFiles);
  writeFiles(config, { 'prompts/mine.md': '---\ndescription: Mine\n---\n' });
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
  const choices = await run(['__complete', 'run', 'plain', '--lang', '=']);
  expect(choices.stdout).toBe('ts\nnot sure\n');
});

const right = '{"name": "Ada", "age": 36}';

const jsonSchema =
  '{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}';

const withSchema = (schema: string) => `---\nschema: ${schema}\n---\nwho?`;

/** Runs `a.md` among files with a service that gives this answer. */
async function runFile(
  files: Readonly<Record<string, string>>,
  answer: string,
  words: readonly string[] = [],
) {
  const server = await serve([[streamed(answer)]]);
  const { run } = createPromptProject(files);
  const result = await run(['run', 'a.md', ...words], { env: serviceAt(server) });
  return { ...result, bodies: server.requests.map(({ body }) => body) };
}

describe('schema in a front matter', () => {
  test.each([
    ['the concise notation', { 'a.md': withSchema("'name, age int'") }],
    ['a mapping', { 'a.md': withSchema(jsonSchema) }],
    ['a file with JSON', { 'a.md': withSchema('parts/p.json'), 'parts/p.json': `${jsonSchema}\n` }],
    ['a file with the concise notation', { 'a.md': withSchema('p.txt'), 'p.txt': 'name\nage int' }],
  ])('can be %s', async (_, files) => {
    const { code, stdout, stderr, bodies } = await runFile(files, `\`\`\`\n${right}\n\`\`\``);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${right}\n`, stderr: '' });
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      messages: [{ content: expect.stringContaining(`who?\n\nAnswer with`) as string }],
    });
    expect(bodies[0]).toContain(JSON.stringify(jsonSchema).slice(1, -1));
  });

  test('is overridden by --schema', async () => {
    const files = { 'a.md': withSchema('none.json') };
    const { code, stdout } = await runFile(files, '{"x": 1}', ['--schema', 'x int']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"x": 1}\n' });
  });

  test.each([
    ['[name, age]', [], /a\.md:2: schema must be a mapping, or text/],
    ['"name itn"', [], /a\.md:2: schema: .*itn/],
    ['{type: 5}', [], /a\.md:2: schema .*type/],
    ['none.json', [], /a\.md:2: cannot use none\.json: there is no such file/],
    ['../up.json', [], /a\.md:2: cannot use \.\.\/up\.json: it is outside/],
    ['/etc/p.json', [], /a\.md:2: cannot use \/etc\/p\.json: the path must be relative/],
    ['name', ['--markdown'], /a\.md:2: --markdown cannot be used with a schema/],
  ])('%s %j is refused before anything is sent', async (schema, words, message) => {
    const result = await runFile({ 'a.md': withSchema(schema) }, right, words);
    expect(result.bodies).toEqual([]);
    expectFailure(result, 2, message);
  });

  test('is shown by natter prompts show, also that of a template of llm', async () => {
    const { run } = createPromptProject({
      'a.md': withSchema('name, age int'),
      'b.yaml': 'prompt: who is $input\nschema_object: {type: object, required: [name]}\n',
    });
    const { stdout } = await run(['prompts', 'show', 'a.md']);
    expect(stdout).toContain('Schema:      name, age int');
    const { stdout: json } = await run(['prompts', 'show', 'b.yaml', '--json']);
    expect(JSON.parse(json)).toMatchObject({ schema: { type: 'object', required: ['name'] } });
  });
});

test('the example of docs/prompts.md checks an answer', async () => {
  const guide = readFileSync('docs/prompts.md', 'utf8');
  const [, example = ''] = /```yaml.*\n(---\nschema:.*?)```/s.exec(guide) ?? [];
  const answer = '{"title": "Solaris", "year": 1972, "genres": ["drama"]}';
  const { code, stdout } = await runFile({ 'a.md': example }, answer, ['--topic=oceans']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${answer}\n` });
});
