import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathOf } from '../../src/conversation/tree.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { runShell } from '../support/shell.ts';
import { choice, delta, done, finish, json, stream } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const rows = [
  {
    name: 'X23: S31 a tool call prints no text, and fails as no_answer',
    reply: stream(choice({ delta: { tool_calls: [{ index: 0 }] } }), finish('tool_calls'), done),
    stdout: '',
    stderr: /called a tool instead of answering \(finish_reason tool_calls\)/,
  },
  {
    name: 'X23: a tool call that ends with stop fails as no_answer',
    reply: stream(choice({ delta: { tool_calls: [{ index: 0 }] } }), finish('stop'), done),
    stdout: '',
    stderr: /called a tool instead of answering/,
  },
  {
    name: 'X23: a function call fails as no_answer, and its text is kept',
    reply: stream(delta('text'), finish('function_call'), done),
    stdout: 'text\n',
    stderr: /called a function instead of answering \(finish_reason function_call\)/,
  },
  {
    name: 'X23: S31 a refusal is shown on standard error, and fails as no_answer',
    reply: stream(choice({ delta: { refusal: 'I would rather not' } }), finish('stop'), done),
    stdout: '',
    stderr: /the model refused: I would rather not\n.*the model refused to answer/,
  },
  {
    name: 'X23: S32 a filtered answer fails as no_answer, and its text is kept',
    reply: stream(delta('text'), finish('content_filter'), done),
    stdout: 'text\n',
    stderr: /filtered the answer \(finish_reason content_filter\)/,
  },
  {
    name: 'X23: a filtered answer in one JSON body fails as no_answer',
    reply: [
      json(200, {
        choices: [{ index: 0, message: { content: 'te' }, finish_reason: 'content_filter' }],
      }),
    ],
    stdout: 'te\n',
    stderr: /filtered the answer/,
  },
];

test.each(rows)('$name', async ({ reply, stdout, stderr }) => {
  const server = await serve([reply]);
  const result = await runInMemory(['hi'], { env: serviceAt(server) });
  expect(result).toMatchObject({ code: 14, stdout });
  expect(result.stderr).toMatch(stderr);
});

const filtered = (text: string) => `[sandbox echo finish-reason=content_filter] ${text}`;

test('X23: a filtered answer is a failed item of a batch, keeps its text, and is requested again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-no-answer-'));
  const input = join(folder, 'in.txt');
  const output = join(folder, 'out.jsonl');
  writeFileSync(input, `one\n${filtered('two')}\n`);
  const words = ['batch', '--sandbox', input, '-o', output];
  const first = await runInMemory(words);
  expect(first.stderr).toContain('1 of 2 items answered');
  expect(first.stderr).toContain('1 failed: 1 no_answer');
  expect(first.code).toBe(14);
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({
    content: 'two',
    finish_reason: 'content_filter',
    usage: expect.any(Object),
    error: { kind: 'no_answer' },
  });
  const again = await runInMemory(words);
  expect(again.code).toBe(14);
  expect(again.stderr).toContain('1 of 2 items answered (1 before)');
});

test('X23: compare exits with the code of a filtered answer, and shows its text', async () => {
  const words = ['compare', '--sandbox', filtered('hello')];
  const { code, stdout, stderr } = await runInMemory(words);
  expect(code).toBe(14);
  expect(stdout).toContain('==> nextgen <==\nhello');
  expect(stderr).toMatch(/^natter: origin: the service filtered the answer/m);
  expect(stderr).toMatch(/^origin\t.*\tno_answer$/m);
});

test('X23: a filtered answer is saved in its conversation, not marked as cut', async () => {
  const { env } = createDataFolder();
  const { code } = await runInMemory(['--sandbox', filtered('hello')], { env });
  expect(code).toBe(14);
  expect(await runInMemory(['last'], { env })).toMatchObject({
    code: 0,
    stdout: 'hello\n',
    stderr: '',
  });
  const { stdout } = await runInMemory(['conversations', 'export', 'latest', '--format', 'json'], {
    env,
  });
  const { turns } = JSON.parse(stdout) as { turns: object[] };
  expect(turns[1]).toMatchObject({ content: 'hello', finish_reason: 'content_filter' });
  expect(turns[1]).toMatchObject({ failure: 'no_answer' });
  expect(turns[1]).not.toHaveProperty('incomplete');
});

const prompt = '[sandbox echo]<think>hm</think>\n\nyes';

test('N8: a pipe gets the answer without its reasoning, which the conversation keeps', async () => {
  const data = createDataFolder();
  const { code, stdout, stderr } = await data.run(['--sandbox', prompt]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'yes\n' });
  expect(stderr.match(/the reasoning \(<think>\) of the answer is not shown/g)).toHaveLength(1);
  expect(pathOf(data.only())[1]).toMatchObject({
    thought: '<think>hm</think>\n\n',
    content: 'yes',
  });
  expect(await data.run(['last'])).toMatchObject({ code: 0, stdout: 'yes\n' });
});

test.each([
  [['--raw'], {}, '<think>hm</think>\n\nyes'],
  [[], { NATTER_THINK_TAGS: 'answer' }, '<think>hm</think>\n\nyes\n'],
])('N8: with %j and %j the reasoning is a part of the answer', async (flags, env, shown) => {
  const { stdout, stderr } = await runInMemory(['--sandbox', ...flags, prompt], { env });
  expect({ stdout, stderr }).toEqual({ stdout: shown, stderr: '' });
});

test('S2: where both streams are one file, the notice about the reasoning follows the answer on its own row', async () => {
  const { stdout } = await runShell(`$NATTER --sandbox '${prompt.replaceAll('\n', '')}' 2>&1`);
  expect(stdout).toMatch(/^yes\nnatter: the reasoning /);
});

test('N8: --reasoning shows the reasoning on standard error', async () => {
  const { stdout, stderr } = await runInMemory(['--sandbox', '--reasoning', prompt]);
  expect({ stdout, stderr }).toEqual({ stdout: 'yes\n', stderr: 'hm\n' });
});

test('N8: --schema checks the answer without its reasoning', async () => {
  const server = await serve([stream(delta('<think>{'), delta('}</think>{"a": 1}'), done)]);
  const { code, stdout } = await runInMemory(['--schema', 'a int', 'hi'], {
    env: serviceAt(server),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"a": 1}\n' });
});
