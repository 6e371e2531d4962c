import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createDataFolder } from '../support/data-folder.ts';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines } from '../support/natter.ts';

const right = '{"name": "Ada", "id": 12345678901234567890}';
const wrong = '{"name": 5}';
const other = '{"name": "Bob"}';
const words = ['compare', '-m', 'one,two', '--schema', 'name, id? number', 'who?'];

interface Document {
  readonly answers: readonly object[];
}

interface Body {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}

/** A service whose model `one` gives these answers, one to each request, and whose other model gives always the same. */
async function openService(answers: readonly string[]) {
  const bodies: Body[] = [];
  const left = [...answers];
  const server = createServer((request, response) => {
    void text(request).then((received) => {
      const body = JSON.parse(received) as Body;
      if (body.model !== 'two') bodies.push(body);
      const message = { role: 'assistant', content: body.model === 'two' ? other : left.shift() };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { bodies, env: { NATTER_BASE_URL: `http://127.0.0.1:${port}`, NATTER_API_KEY: 'key' } };
}

async function runWith(answers: readonly string[], more: readonly string[] = []) {
  const { bodies, env } = await openService(answers);
  return { ...(await runInMemory([...words, ...more], { env })), bodies };
}

const shown = (one: string) => `==> one <==\n${one}\n\n==> two <==\n${other}\n`;

test('each answer is the value alone', async () => {
  const { code, stdout, bodies } = await runWith([`\`\`\`json\n${right}\n\`\`\``]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: shown(right) });
  expect(bodies[0]?.messages[0]?.content).toContain('conforms to the JSON Schema');
});

test('a model is asked again with the violations, and the other is not', async () => {
  const { code, stdout, stderr, bodies } = await runWith([wrong, right]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: shown(right) });
  expect(stderr).toContain(
    'one: the answer does not match the schema: /name must be a string; asking again (1 of 1)',
  );
  expect(stderr).not.toContain('two: the answer');
  expect(bodies[1]?.messages.at(-1)?.content).toContain('- /name must be a string');
});

test('an answer that does not conform is shown, and fails with 13', async () => {
  const { code, stdout, stderr } = await runWith([wrong, wrong]);
  expect({ code, stdout }).toEqual({ code: 13, stdout: shown(wrong) });
  expect(stderr).toContain('natter: one: the answer does not match the schema: /name');
});

test('--json has the value, and what was received before', async () => {
  const { stdout } = await runWith([wrong, right], ['--json', '--select', '/name']);
  expect(stdout).toContain('"value":{"name":"Ada","id":12345678901234567890},"selected":"Ada"},{');
  const { answers } = JSON.parse(stdout) as Document;
  expect(answers).toMatchObject([
    { asked: 'one', violations: [], checked_answers: [{ content: wrong }, { content: right }] },
    { asked: 'two', violations: [], value: { name: 'Bob' } },
  ]);
});

test('--jsonl has a line with the result of the check', async () => {
  const { stdout } = await runWith([right], ['--jsonl']);
  const lines = jsonLines(stdout) as readonly { readonly type: string }[];
  const checks = lines.filter(({ type }) => type === 'answer-checked');
  expect(checks).toHaveLength(2);
  expect(checks).toContainEqual(expect.objectContaining({ asked: 'two', value: { name: 'Bob' } }));
});

test('--select prints one value', async () => {
  const { stdout } = await runWith([right], ['--select', '/name']);
  expect(stdout).toBe('==> one <==\nAda\n\n==> two <==\nBob\n');
});

test('the conversation has the correction, and continues with the answer to it', async () => {
  const { env: folder } = createDataFolder();
  const { bodies, env } = await openService([wrong, right, 'bye']);
  const run = (line: readonly string[]) => runInMemory(line, { env: { ...env, ...folder } });
  expect(await run(words)).toMatchObject({ code: 0 });
  expect(await run(['-c', '-m', 'one', 'next'])).toMatchObject({ code: 0 });
  expect(bodies[2]?.messages.map(({ content }) => content)).toEqual([
    expect.stringContaining('who?'),
    wrong,
    expect.stringContaining('- /name must be a string'),
    right,
    'next',
  ]);
});
