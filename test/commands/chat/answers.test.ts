import { describe, expect, test } from 'vitest';
import { runInMemory } from '../../support/in-memory.ts';
import { serviceAt } from '../../support/natter.ts';
import { startProxy } from '../../support/proxy-server.ts';
import {
  choice,
  chunk,
  delta,
  done,
  head,
  json,
  lastChunk,
  response,
  stream,
  streamed,
  streamHead,
} from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

test.each([
  ['500ms', '500 milliseconds'],
  ['1.5s', '1.5 seconds'],
])('Y4: --timeout %s is reported as %s', async (limit, words) => {
  const server = await serve([[]]);
  const { code, stderr } = await runInMemory(['--timeout', limit, 'hi'], {
    env: serviceAt(server),
  });
  expect(code).toBe(10);
  expect(stderr).toContain(`the answer was not complete within ${words}\n`);
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
    const server = await serve([[head(200, { 'x-long': 'a'.repeat(17_000) }), delta('Hi'), done]]);
    const { code, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
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
  const completion = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
  const server = await serve([[json(200, completion)]]);
  const { code } = await runInMemory([...flags, 'hi'], { env: serviceAt(server) });
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
    const server = await serve([reply, [streamed('Hello')]]);
    const { code, stdout, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello\n' });
    expect(stderr).toContain(problem);
    expect(server.requests).toHaveLength(2);
  });

  test('that persists has its own message, without the JSON', async () => {
    const server = await serve([broken]);
    const { code, stderr } = await runInMemory(['--retries', '1', 'hi'], {
      env: serviceAt(server),
    });
    expect(code).toBe(9);
    expect(stderr).toContain(
      "the service's response is malformed JSON (20 characters) (2 attempts)",
    );
    expect(stderr).not.toContain('secret');
    expect(stderr).not.toContain('base URL');
  });

  test('after the first text is not retried', async () => {
    const reply = [streamHead(), chunk(delta('Hel')), chunk('data: {"secret\n\n'), lastChunk];
    const server = await serve([reply]);
    const { code, stdout } = await runInMemory(['hi'], { env: serviceAt(server) });
    expect({ code, stdout }).toEqual({ code: 11, stdout: 'Hel\n' });
    expect(server.requests).toHaveLength(1);
  });

  test('in a list of models is retried too', async () => {
    const server = await serve([
      [response(200, {}, '{"data":[{"id"')],
      [json(200, { data: [{ id: 'origin' }] })],
    ]);
    const { code, stdout } = await runInMemory(['models', 'list'], { env: serviceAt(server) });
    expect(code).toBe(0);
    expect(stdout).toContain('origin');
  });
});

test.each([
  [400, 7, 'check the base URL'],
  [403, 5, 'natter auth status shows the key in use'],
  [404, 6, 'natter added /v1 to the base URL'],
])('Y5: models list after a %d has a hint for this command', async (status, code, hint) => {
  const server = await serve([[json(status, {})]]);
  const result = await runInMemory(['models', 'list'], { env: serviceAt(server) });
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(hint);
  expect(result.stderr).not.toMatch(/--dry-run|natter models list/);
});

test('Y5: a prompt after a 400 has the hint for a prompt', async () => {
  const server = await serve([[json(400, {})]]);
  const { stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect(stderr).toContain('--dry-run shows what is sent');
});

test.each(['HTTP_PROXY', 'ALL_PROXY'])('Y5: a 407 of %s names that variable', async (variable) => {
  const proxy = await startProxy({ upstream: 9, refusal: 407 });
  const env = { NATTER_BASE_URL: 'http://service.test', [variable]: proxy.url };
  const { code, stderr } = await runInMemory(['hi'], { env });
  expect(code).toBe(3);
  // Windows does not tell the case of a variable's name.
  expect(stderr.toLowerCase()).toContain(
    `${variable.toLowerCase()}=http://user:password@host:port`,
  );
});

test('Y5: an unreachable proxy is reported with its variable', async () => {
  const env = { NATTER_BASE_URL: 'http://service.test', HTTP_PROXY: 'http://127.0.0.1:1' };
  const { code, stderr } = await runInMemory(['--retries', '0', 'hi'], { env });
  expect(code).toBe(10);
  expect(stderr).toMatch(/check http_proxy, or name the host in no_proxy/i);
});

test.each([
  ['model="x"', '--model'],
  ['max_tokens=5', '--max-tokens'],
  ['messages=[]', 'builds them from the system prompt, the conversation and the prompt'],
])('Y5: --param %s suggests the option for it', async (parameter, hint) => {
  const { code, stderr } = await runInMemory(['--sandbox', '--param', parameter, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});

test('S29 --reasoning shows reasoning on standard error', async () => {
  const thought = choice({ delta: { reasoning: 'first I think' } });
  const server = await serve([stream(thought, delta('text'), done)]);
  const result = await runInMemory(['--reasoning', 'hi'], { env: serviceAt(server) });
  expect(result).toMatchObject({ code: 0, stdout: 'text\n', stderr: 'first I think\n' });
});
