import { describe, expect, test } from 'vitest';
import { suggestModel, wantsRepl } from '../../../src/commands/chat/run.ts';
import type { ChatOptions } from '../../../src/commands/chat/run.ts';
import { Failure } from '../../../src/failure.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { createMemoryContext } from '../../support/memory-context.ts';
import { startProxy } from '../../support/proxy-server.ts';
import {
  answering,
  chunk,
  delta,
  done,
  head,
  json,
  lastChunk,
  response,
  streamed,
  streamHead,
} from '../../support/raw-replies.ts';
import { runOn } from '../../support/serve.ts';

const plain: ChatOptions = { color: 'auto', input: true, stream: true, stdin: true };
const onTerminal = createMemoryContext({ terminals: ['stdin', 'stdout', 'stderr'] }).context;
const inPipe = createMemoryContext({ terminals: ['stdout', 'stderr'] }).context;

test.each<[string, readonly string[], Partial<ChatOptions>, boolean]>([
  ['natter', [], {}, true],
  ['natter -f notes.md', [], { file: ['notes.md'] }, true],
  ['natter -c', [], { continue: true }, true],
  ['natter hello', ['hello'], {}, false],
  ['natter -i hello', ['hello'], { interactive: true }, true],
  ['natter --json', [], { json: true }, false],
  ['natter --no-input', [], { input: false }, false],
])('%s opens the REPL: %4$s', (_line, words, options, wanted) => {
  expect(wantsRepl(onTerminal, words, { ...plain, ...options })).toBe(wanted);
});

test('a pipe opens no REPL, and --interactive fails', () => {
  expect(wantsRepl(inPipe, [], plain)).toBe(false);
  const options = { ...plain, interactive: true };
  expect(() => wantsRepl(inPipe, [], options)).toThrow('--interactive needs a terminal');
});

const windows = new Map([['llama3', 8000]]);

test.each([
  ['a 404', new Failure('not_found', 'no'), 'did you mean -m llama3?'],
  ['a 400 that names the model', new Failure('invalid_request', 'bad model lama3'), 'did you mean'],
  ['a 400 for a different cause', new Failure('invalid_request', 'bad messages'), undefined],
  ['a refused key', new Failure('unauthorized', 'lama3'), undefined],
])('%s of a mistyped model that the service has: %s', (_, error, hint) => {
  const suggested = suggestModel(error, 'lama3', windows).hint;
  expect(suggested?.slice(0, hint?.length)).toBe(hint);
});

test.each([
  ['origin,nextgen', 'natter compare -m origin,nextgen asks each of them'],
  ['origin,$(x)', 'natter compare -m … asks each of them'],
])('the hint for several models, %s, names natter compare', (models, hint) => {
  const error = new Failure('not_found', 'no');
  expect(suggestModel(error, models, windows).hint).toBe(hint);
});

test.each([
  ['500ms', '500 milliseconds'],
  ['1.5s', '1.5 seconds'],
])('Y4: --timeout %s is reported as %s', async (limit, words) => {
  const result = await runOn([[]], ['--timeout', limit, 'hi']);
  expectFailure(result, 10, `the answer was not complete within ${words}\n`);
});

describe('Y6:', () => {
  const port = 'has port 99999, over the maximum of 65535';

  test.each([
    ['--base-url', ['--base-url', 'http://127.0.0.1:99999', 'hi'], {}, 2],
    ['NATTER_BASE_URL', ['hi'], { NATTER_BASE_URL: 'https://x.test:99999/v1' }, 3],
    ['HTTPS_PROXY', ['--base-url', 'https://x.test', 'hi'], { HTTPS_PROXY: 'http://p:99999' }, 3],
  ])('the port 99999 in %s is reported', async (_, words, env, code) => {
    const result = await runInMemory(words, { env });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(port);
  });

  test('response headers over the limit of Node are reported', async () => {
    const reply = [head(200, { 'x-long': 'a'.repeat(17_000) }), delta('Hi'), done];
    const { code, stderr, server } = await runOn([reply], ['hi']);
    expect(code).toBe(9);
    expect(stderr).toContain('exceed the limit of 16384 bytes');
    expect(stderr).not.toContain('is not HTTP');
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  [[], 'text/event-stream, application/json'],
  [['--no-stream'], 'application/json, text/event-stream'],
])('Y1: %j requests %s', async (flags, accept) => {
  const { code, server } = await runOn([[answering('Hi')]], [...flags, 'hi']);
  expect(code).toBe(0);
  expect(server.requests[0]?.headers['accept']).toBe(accept);
});

describe('Y9: malformed JSON', () => {
  const body = '{"choices":[{"secret';
  const broken = [response(200, { 'content-type': 'application/json' }, body)];
  const badEvent = [streamHead(), chunk('data: {"secret\n\n'), chunk(done), lastChunk];

  test.each([
    ['in one body', broken, "the service's response is malformed JSON (20 characters)"],
    ['in an event', badEvent, 'an event that is not a JSON object (8 characters)'],
  ])('%s is retried until there is an answer', async (_, reply, problem) => {
    const { code, stdout, stderr, server } = await runOn([reply, [streamed('Hello')]], ['hi']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello\n' });
    expect(stderr).toContain(problem);
    expect(server.requests).toHaveLength(2);
  });

  test('that persists has its own message, without the JSON', async () => {
    const { code, stderr } = await runOn([broken], ['--retries', '1', 'hi']);
    expect(code).toBe(9);
    expect(stderr).toContain('response is malformed JSON (20 characters) (2 attempts)');
    expect(stderr).not.toContain('secret');
    expect(stderr).not.toContain('base URL');
  });
});

test.each([
  [400, 7, 'check the base URL'],
  [403, 5, 'natter auth status shows the key in use'],
  [404, 6, 'natter added /v1 to the base URL'],
])('Y5: models list after a %d has a hint for this command', async (status, code, hint) => {
  const result = await runOn([[json(status, {})]], ['models', 'list']);
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(hint);
  expect(result.stderr).not.toMatch(/--dry-run|natter models list/);
});

test('Y5: a prompt after a 400 has the hint for a prompt', async () => {
  const { stderr } = await runOn([[json(400, {})]], ['hi']);
  expect(stderr).toContain('--dry-run shows what is sent');
});

test.each(['HTTP_PROXY', 'ALL_PROXY'])('Y5: a 407 of %s names that variable', async (variable) => {
  const proxy = await startProxy({ upstream: 9, refusal: 407 });
  const env = { NATTER_BASE_URL: 'http://service.test', [variable]: proxy.url };
  const { code, stderr } = await runInMemory(['hi'], { env });
  expect(code).toBe(3);
  // Windows does not tell the case of a variable's name.
  expect(stderr).toMatch(new RegExp(`${variable}=http://user:password@host:port`, 'i'));
});

test('Y5: an unreachable proxy is reported with its variable', async () => {
  const env = { NATTER_BASE_URL: 'http://service.test', HTTP_PROXY: 'http://127.0.0.1:1' };
  const result = await runInMemory(['--retries', '0', 'hi'], { env });
  expectFailure(result, 10, /check http_proxy, or name the host in no_proxy/i);
});

test.each([
  ['model="x"', '--model'],
  ['max_tokens=5', '--max-tokens'],
  ['messages=[]', 'builds them from the system prompt, the conversation and the prompt'],
])('Y5: --param %s suggests the option for it', async (parameter, hint) => {
  expectFailure(await runInMemory(['--sandbox', '--param', parameter, 'hi']), 2, hint);
});
