import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createPromptProject } from '../support/prompt-project.ts';
import { streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { serviceAt } from '../support/natter.ts';

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

  test('refuses an answer with the exit code 13, after --schema-retries', async () => {
    const files = { 'a.md': withSchema('name, age int') };
    const { code, stdout, stderr, bodies } = await runFile(files, '{"name": "Ada"}', [
      '--schema-retries',
      '2',
    ]);
    expect({ code, stdout, requests: bodies.length }).toEqual({
      code: 13,
      stdout: '',
      requests: 3,
    });
    expect(stderr).toContain(
      'the answer does not match the schema: the answer must have the property "age"; asking again (2 of 2)',
    );
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
    ['none.json', [], /a\.md:2: cannot read none\.json: there is no such file/],
    ['../up.json', [], /a\.md:2: cannot read \.\.\/up\.json: it is outside/],
    ['/etc/p.json', [], /a\.md:2: cannot read \/etc\/p\.json: the path must be relative/],
    ['name', ['--markdown'], /a\.md:2: --markdown cannot be used with a schema/],
  ])('%s %j is refused before anything is sent', async (schema, words, message) => {
    const { code, stdout, stderr, bodies } = await runFile(
      { 'a.md': withSchema(schema) },
      right,
      words,
    );
    expect({ code, stdout, bodies }).toEqual({ code: 2, stdout: '', bodies: [] });
    expect(stderr).toMatch(message);
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
