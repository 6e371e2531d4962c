import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parsePromptFile, variablesOf } from '../../src/prompt-files/prompt-file.ts';
import {
  fillTemplate,
  joinTexts,
  type Part,
  type Template,
  textPart,
} from '../../src/prompt-files/template.ts';
import { promptMarkdown, yamlText } from '../../src/prompt-files/write-markdown.ts';
import { expectForAll, fc } from '../support/properties.ts';

const file = { name: 'a.md', path: '/a.md' };

const values = {
  variables: new Map([['x', 'X']]),
  stdin: 'IN',
  words: ['one', 'two'],
  contentOf: ({ name }: { name: string }) => `<${name}>`,
};

const fill = (template: Template) => fillTemplate(template, values).trim();

const parse = (content: string, path = '/a.md') =>
  parsePromptFile({ file: { name: path, path }, content });

const place = { file, line: 1 };
const marks = [
  '\\',
  '\\\\',
  '{',
  '{{',
  '}}',
  '{{x}}',
  '$',
  '$1',
  '$ARGUMENTS',
  '---',
  '\n',
  ' a',
  '#!',
];
const part = fc.oneof(
  fc.constantFrom(...marks).map((text): Part => textPart(text)),
  fc.constantFrom<Part>(
    { kind: 'variable', name: 'x', place },
    { kind: 'stdin', name: 'stdin', place },
    { kind: 'arguments', name: '', place },
    { kind: 'argument', name: '2', place },
    { kind: 'file', name: 'b.md', place },
  ),
);

const template = fc.array(part).map(joinTexts);

test('a prompt written as Markdown has the same text when it is read again', async () => {
  await fc.assert(
    fc.asyncProperty(template, fc.option(template), async (prompt, system) => {
      const others = { file, format: 'markdown', front: {}, notices: [] } as const;
      const original = { ...others, system: system ?? undefined, prompt };
      const read = await parse(promptMarkdown(original));
      expect(fill(read.prompt)).toBe(fill(prompt));
      expect(fill(read.system ?? [])).toBe(fill(system ?? []));
    }),
  );
});

describe('a template of llm', () => {
  test('keeps its model, parameters and defaults, and declares all variables', async () => {
    const llm = await parse(
      'model: m\nsystem: "You: $mood"\nprompt: "For $$5 ${who}: $input"\ndefaults: { mood: calm }\noptions: { temperature: 0.7 }\n',
      '/brief.yaml',
    );
    const read = await parse(promptMarkdown(llm));
    expect(read.front).toMatchObject({
      model: { value: 'm' },
      params: [{ value: ['temperature', 0.7] }],
    });
    expect(variablesOf(read).map(({ name, default: value }) => [name, value])).toEqual([
      ['mood', 'calm'],
      ['who', undefined],
    ]);
    expect(fillTemplate(read.prompt, { ...values, variables: new Map([['who', 'me']]) })).toBe(
      'For $5 me: IN',
    );
  });

  test.each([
    ['prompt: a\nfragments: []', /brief\.yaml:2: natter cannot use "fragments"/],
    ['model: a', /an llm template needs prompt or system/],
    ['prompt: [a]', /brief\.yaml:1: prompt must be text/],
  ])('%j is refused with the file and the line', async (content, message) => {
    await expect(parse(content, '/brief.yaml')).rejects.toThrow(message);
  });

  test('has a notice for what natter ignores', async () => {
    const { notices } = await parse('name: a\nprompt: a\nextract: true', '/b.yaml');
    expect(notices).toEqual([
      '/b.yaml:3: extract is ignored: natter last --block 1 prints the first code block of the answer',
    ]);
  });
});

describe('a command file of a coding agent', () => {
  const command =
    '---\nallowed-tools: Read\nargument-hint: [issue] [priority]\nmodel: sonnet\n---\nFix #$1, $2.';

  test('takes numbered words, and ignores the model and the tools with notices', async () => {
    const read = await parse(command);
    expect(read.format).toBe('agent');
    expect(read.front).toEqual({ argumentHint: '[issue] [priority]' });
    expect(fill(read.prompt)).toBe('Fix #one, two.');
    expect(read.notices).toEqual([
      '/a.md:4: the model is that of a coding agent and is ignored',
      '/a.md:2: natter has no tools; the model gets only the text',
    ]);
  });

  test('is known by its folder', async () => {
    const read = await parse('Fix $1.', '/p/.claude/commands/fix.md');
    expect([read.format, fill(read.prompt)]).toEqual(['agent', 'Fix one.']);
    expect(promptMarkdown(read)).toBe('---\nargument-hint: "[words]"\n---\n\nFix $1.\n');
  });

  test('has a notice for a command, with its line', async () => {
    const { notices } = await parse(`${command}\n\nStatus: !\`git status\``);
    expect(notices.at(-1)).toBe('/a.md:8: natter runs no commands: !`git status` is sent as text');
    const { notices: other } = await parse('Status: !`git status`', '/cmds/a.md');
    expect(other).toEqual(['/cmds/a.md:1: natter runs no commands: !`git status` is sent as text']);
  });
});

test.each([
  ['See @src/main.ts.', '@src/main.ts is sent as text; {{file:src/main.ts}} inserts it'],
  ['Look at (@notes.md)', '@notes.md is sent as text; {{file:notes.md}} inserts it'],
  ['Fix @$1', '@$1 is sent as text; -f attaches a file'],
])('N13: %j in a command file has the notice %j', async (text, notice) => {
  const { notices } = await parse(`---\nargument-hint: x\nallowed-tools: Read\n---\n${text}`);
  expect(notices.at(-1)).toBe(`/a.md:5: ${notice}`);
});

test.each(['Write to me@example.com', 'Ask @maintainer', 'Use `@Input()` in Angular'])(
  'N13: %j in a command file has no notice for a file',
  async (text) => {
    expect((await parse(text, '/p/.claude/commands/fix.md')).notices).toEqual([]);
  },
);

describe('a pattern of fabric', () => {
  test('is a system prompt, with user.md as the prompt', async () => {
    const read = await parsePromptFile(
      { file: { name: 's', path: '/p/system.md' }, content: '# ID\n' },
      { file: { name: 'u', path: '/p/user.md' }, content: 'Text: {{input}}\n' },
    );
    expect([fill(read.system ?? []), fill(read.prompt)]).toEqual(['# ID', 'Text: IN']);
  });

  test('with a place for the input is a prompt', async () => {
    const read = await parse('# ID\n{{input}}', '/p/system.md');
    expect([read.system, fill(read.prompt)]).toEqual([undefined, '# ID\nIN']);
  });
});

const yamlMarks = [
  '\n',
  ' ',
  '\t',
  '#',
  ': ',
  '- ',
  '|',
  '---',
  'no',
  'null',
  '~',
  '1e3',
  '<<',
  '"',
];
const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...yamlMarks, '\u2028', 'k'.repeat(2000)),
);
const text = fc.oneof(
  piece,
  fc.array(piece).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom('word', '', ' a', 'é:', 'b ')).map((lines) => lines.join('\n')),
);

test('a value written as YAML is the same when it is read', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  expectForAll(value, (original) => {
    expect(parseYaml(yamlText({ params: original }))).toEqual({ params: original });
  });
});
