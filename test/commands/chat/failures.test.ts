import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import { exitCodes, type FailureKind } from '../../../src/failure.ts';
import { createDataFolder, type DataFolder } from '../../support/data-folder.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { createMemoryContext } from '../../support/memory-context.ts';
import {
  choice,
  delta,
  done,
  finish,
  json,
  response,
  stream,
  streamed,
} from '../../support/raw-replies.ts';
import { type Reply } from '../../support/raw-server.ts';
import { runOn } from '../../support/serve.ts';

const fault = (group: string) => ['--sandbox', '--retries', '0', `[sandbox ${group}]`];

const rows: readonly (readonly [FailureKind, number, readonly string[], RegExp])[] = [
  ['usage', 2, ['--sandbox', '--bogus', 'hi'], /unknown option/],
  ['configuration', 3, ['hi'], /no service is configured/],
  ['unauthorized', 4, fault('401'), /requires a valid API key \(401\)/],
  ['forbidden', 5, fault('403'), /is not allowed to do this \(403\)/],
  ['not_found', 6, fault('404'), /does not know .* \(404\)/],
  ['not_found', 6, ['--sandbox', '-m', 'nobody', 'hi'], /\(404\).*nobody/],
  ['invalid_request', 7, fault('400'), /as invalid \(400\)/],
  ['rate_limited', 8, fault('429'), /rate limited .* \(429\)/],
  ['server_error', 9, fault('500'), /the service failed \(500\)/],
  ['server_error', 9, fault('503 shape=html'), /failed \(503\)/],
  ['unreachable', 10, ['--base-url', 'http://127.0.0.1:1', 'hi'], /127\.0\.0\.1:1: .* was refused/],
  ['unreachable', 10, ['--first-byte-timeout', '100ms', ...fault('delay')], /sent no response/],
  ['incomplete', 11, fault('fin'), /the answer is incomplete/],
  ['incomplete', 11, fault('rst cut-after=2'), /the answer is incomplete/],
  ['no_answer', 14, fault('finish-reason=content_filter'), /\(finish_reason content_filter\)/],
  ['mismatch', 13, ['--sandbox', '--select', '/a', '[sandbox echo]'], /the answer is empty/],
];

test.each(rows)(
  'P23 P24 %s exits with %d, shows at most two lines, and is named by --json: %j',
  async (kind, code, words, message) => {
    const { code: actual, stderr } = await runInMemory(words);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^natter: .+\n( {2}.+\n)?$/);
    const inJson = await runInMemory(['--json', ...words]);
    expect(JSON.parse(inJson.stderr)).toMatchObject({ error: { kind } });
    expect([actual, inJson.code, exitCodes[kind]]).toEqual([code, code, code]);
  },
);

test('P23 every exit code is unique', () => {
  const codes = Object.values(exitCodes);
  expect(new Set(codes).size).toBe(codes.length);
});

/** The arguments that name or find something. */
const naming = new Set(['conversation', 'conversations', 'model', 'pattern', 'text']);

/** Command lines for something that does not exist, of all commands that name or find something. */
function missingLines(command: Command, path: readonly string[] = []): string[][] {
  const names = command.registeredArguments.map((argument) => argument.name());
  const values = names.map((name) => (naming.has(name) ? 'nowhere' : 'x'));
  const own = values.includes('nowhere') ? [[...path, ...values]] : [];
  const next = (child: Command) => missingLines(child, [...path, child.name()]);
  return [...own, ...command.commands.flatMap(next)];
}

const tree = buildProgram(createMemoryContext().context);

const missing = missingLines(tree);

let stored: DataFolder;

beforeAll(async () => {
  stored = createDataFolder();
  await stored.run(['--sandbox', '[sandbox echo] first **words**']);
});

describe('Y34', () => {
  test.each([
    ...missing,
    ['conversations', 'search', 'nowhere', '--json'],
    ['last', '--block', '1'],
    ['config', 'get', 'system'],
    ['config', 'paths', 'nowhere'],
  ])('not_found without output: natter %s %s %s %s', async (...words) => {
    expect(await stored.run([...words, '--sandbox'])).toMatchObject({ code: 6, stdout: '' });
  });

  test.each([
    [['--resume', 'flowers', 'hello', '--sandbox'], 'natter conversations search flowers'],
    [['--resume', 'two words', 'hello', '--sandbox'], 'natter conversations search WORD'],
    [['conversations', 'undelete', 'flowers'], 'natter conversations list --deleted'],
  ])('natter %j names the command that finds a conversation: %s', async (words, command) => {
    expectFailure(await stored.run(words), 6, command);
  });

  test.each([
    ['conversations', 'list', '--deleted'],
    ['config', 'unset', 'model'],
    ['auth', 'logout'],
  ])('an empty list or a change already in effect succeeds: natter %s %s', async (...words) => {
    expect((await stored.run(words)).code).toBe(0);
  });
});

test.each([
  ['nextgn', 'did you mean -m nextgen? natter models list shows the available models'],
  ['Origin', 'did you mean -m origin? natter models list shows the available models'],
  ['other', 'natter models list shows the available models; natter auth status shows'],
])('the unknown model %s has the hint: %s', async (model, hint) => {
  const { code, stderr, stdout } = await stored.run(['--sandbox', '-m', model, '--json', 'hi']);
  expect(code).toBe(6);
  for (const document of [stdout, stderr]) {
    expect(JSON.parse(document)).toMatchObject({ error: { hint: expect.stringContaining(hint) } });
  }
});

const answered: Reply = [streamed('the ', 'answer')];

const status = (code: number, headers: Record<string, string>): Reply => [response(code, headers)];

const failing = status(500, { 'retry-after': '0' });

test('R12 after two failures the answer is printed once, and R31 standard error reports each retry', async () => {
  const { code, stdout, stderr, server } = await runOn([failing, failing, answered], ['hi']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the answer\n' });
  expect(stderr).toMatch(/^.*retry 1 of 4.*\n.*retry 2 of 4.*\n$/);
  expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
});

test.each([
  ['R9 --retry-max-wait 1s', status(429, { 'retry-after': '2' }), 8, 1],
  ['R13 R27 --retries 2', failing, 9, 3],
  ['R13 R27 --retries 0', failing, 9, 1],
])('%s: a service that keeps failing has code %3$i after %4$i requests', async (...row) => {
  const [options, reply, code, requests] = row;
  const result = await runOn([reply], [...options.split(' ').slice(-2), 'hi']);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.server.requests).toHaveLength(requests);
});

const ended = (reason: string, fields: object): Reply =>
  stream(choice({ delta: fields }), finish(reason), done);
const message = { content: 'te' };
const whole = json(200, { choices: [{ index: 0, message, finish_reason: 'content_filter' }] });

test.each<[string, Reply, string, RegExp]>([
  ['S31 a tool call', ended('tool_calls', { tool_calls: [{ index: 0 }] }), '', /called a tool/],
  ['S31 a refusal', ended('stop', { refusal: 'no' }), '', /refused: no\n.*model refused/],
  ['S32 a filtered answer', ended('content_filter', { content: 'a' }), 'a\n', /filtered the/],
  ['a filtered answer in one JSON body', [whole], 'te\n', /filtered the answer/],
])('X23: %s fails as no_answer, and its text is kept: %3$j', async (_, reply, stdout, stderr) => {
  const result = await runOn([reply], ['hi']);
  expect(result).toMatchObject({ code: 14, stdout });
  expect(result.stderr).toMatch(stderr);
});

const filtered = (text: string) => `[sandbox echo finish-reason=content_filter] ${text}`;

test('X23: a filtered answer is saved in its conversation, not marked as cut', async () => {
  const data = createDataFolder();
  await data.run(['--sandbox', filtered('hello')]);
  expect(await data.run(['last'])).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
  const answer = pathOf(data.only())[1];
  const saved = { content: 'hello', finishReason: 'content_filter', failure: 'no_answer' };
  expect(answer).toMatchObject(saved);
  expect(answer?.incomplete).toBeUndefined();
});

const prompt = '[sandbox echo]<think>hm</think>\n\nyes';

test('N8: a pipe gets the answer without its reasoning, which the conversation keeps', async () => {
  const data = createDataFolder();
  const { code, stdout, stderr } = await data.run(['--sandbox', prompt]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'yes\n' });
  expect(stderr.match(/the reasoning \(<think>\) of the answer is not shown/g)).toHaveLength(1);
  const saved = { thought: '<think>hm</think>\n\n', content: 'yes' };
  expect(pathOf(data.only())[1]).toMatchObject(saved);
  expect(await data.run(['last'])).toMatchObject({ code: 0, stdout: 'yes\n' });
});

test.each([
  [['--raw'], {}, '<think>hm</think>\n\nyes', ''],
  [[], { NATTER_THINK_TAGS: 'answer' }, '<think>hm</think>\n\nyes\n', ''],
  [['--reasoning'], {}, 'yes\n', 'hm\n'],
])('N8: %j and %j show the reasoning', async (flags, env, stdout, stderr) => {
  const result = await runInMemory(['--sandbox', ...flags, prompt], { env });
  expect(result).toMatchObject({ stdout, stderr });
});

test('N8: --schema checks the answer without its reasoning', async () => {
  const reply = stream(delta('<think>{'), delta('}</think>{"a": 1}'), done);
  const result = await runOn([reply], ['--schema', 'a int', 'hi']);
  expect(result).toMatchObject({ code: 0, stdout: '{"a": 1}\n' });
});
