import { describe, expect, test } from 'vitest';
import { runInMemory } from '../../support/in-memory.ts';
import { serviceAt } from '../../support/natter.ts';
import { startProxy } from '../../support/proxy-server.ts';
import {
  choice,
  chunk,
  delta,
  done,
  event,
  finish,
  head,
  json,
  lastChunk,
  response,
  stream,
  streamed,
  streamHead,
} from '../../support/raw-replies.ts';
import { fin, type Reply } from '../../support/raw-server.ts';
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
  expect(stderr).toContain(`${variable}=http://user:password@host:port`);
});

test('Y5: an unreachable proxy is reported with its variable', async () => {
  const env = { NATTER_BASE_URL: 'http://service.test', HTTP_PROXY: 'http://127.0.0.1:1' };
  const { code, stderr } = await runInMemory(['--retries', '0', 'hi'], { env });
  expect(code).toBe(10);
  expect(stderr).toContain('check HTTP_PROXY, or name the host in NO_PROXY');
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

const completion = {
  choices: [{ index: 0, message: { content: 'whole' }, finish_reason: 'stop' }],
};

interface Row {
  readonly name: string;
  readonly reply: Reply;
  readonly stdout: string;
  readonly code?: number;
  /** By default empty. */
  readonly stderr?: RegExp;
}

const answers: readonly Row[] = [
  {
    name: 'S9 ids, retry times, event names and unknown fields are ignored',
    reply: stream(`id: 7\nretry: 1\nevent: message\ncolour: red\n${delta('text')}`, done),
    stdout: 'text\n',
  },
  {
    name: 'S15 [DONE] ends the answer although the connection stays open',
    reply: [streamHead(), chunk(delta('text')), chunk(done)],
    stdout: 'text\n',
  },
  {
    name: 'S17 a finish_reason ends the answer without [DONE]',
    reply: stream(delta('text'), finish('stop')),
    stdout: 'text\n',
  },
  {
    name: 'S19 a last event without a line end counts',
    reply: stream(
      delta('te'),
      choice({ delta: { content: 'xt' }, finish_reason: 'stop' }).trimEnd(),
    ),
    stdout: 'text\n',
  },
  {
    name: 'S29 reasoning is not printed by default',
    reply: stream(
      choice({ delta: { reasoning_content: 'hmm' } }),
      choice({ delta: { reasoning: 'well' } }),
      delta('text'),
      done,
    ),
    stdout: 'text\n',
  },
  {
    name: 'S32 an answer at its token limit is complete, with a notice',
    reply: stream(delta('text'), finish('length'), done),
    stdout: 'text\n',
    stderr: /token limit/,
  },
  {
    name: 'S35 a surrogate pair split over deltas is one character',
    reply: stream(delta('a\uD83D'), delta('\uDE00b'), done),
    stdout: 'a😀b\n',
  },
  { name: 'S44 one JSON body is printed', reply: [json(200, completion)], stdout: 'whole\n' },
  {
    name: 'S47 an event stream sent as text/plain is read, always as UTF-8',
    reply: [
      streamHead({ 'content-type': 'text/plain; charset=windows-1252' }),
      chunk(delta('é')),
      chunk(done),
    ],
    stdout: 'é\n',
  },
];

const failures: readonly Row[] = [
  {
    name: 'S11 an error in the middle keeps the text and fails',
    reply: stream(delta('text'), event({ error: { code: 'server_error', message: 'no more' } })),
    stdout: 'text\n',
    code: 11,
    stderr: /incomplete: .*no more/,
  },
  {
    name: 'S13 an error as the first event of a 200 is an error of the service',
    reply: stream(event({ error: { code: 'invalid_request', message: 'not like this' } })),
    stdout: '',
    code: 7,
    stderr: /reported an error: not like this/,
  },
  {
    name: 'S18 a body without a finish_reason or [DONE] is incomplete',
    reply: stream(delta('text')),
    stdout: 'text\n',
    code: 11,
    stderr: /incomplete: the stream ended without a finish_reason or \[DONE\]/,
  },
  {
    name: 'S21 an event that is not JSON is an error, which does not show it',
    reply: stream(delta('text'), 'data: {"secret payload\n\n', done),
    stdout: 'text\n',
    code: 11,
    stderr: /^(?!.*secret payload).*not a JSON object/,
  },
  {
    name: 'S45 a JSON error with status 200 is an error',
    reply: [json(200, { error: { code: 'forbidden', message: 'not yours' } })],
    stdout: '',
    code: 5,
    stderr: /not yours/,
  },
  {
    name: 'S46 an HTML page is an error, which does not show it',
    reply: [response(200, { 'content-type': 'text/html' }, '<title>Hi</title><p>the page</p>')],
    stdout: '',
    code: 9,
    stderr: /^(?!.*the page)/,
  },
  {
    name: 'S49 no content is an error',
    reply: [response(204)],
    stdout: '',
    code: 9,
    stderr: /no content \(204\)/,
  },
  {
    name: 'S49 an empty answer is an error',
    reply: [response(200, { 'content-type': 'text/event-stream' })],
    stdout: '',
    code: 9,
    stderr: /./,
  },
  {
    name: 'S50 a closed connection leaves the answer incomplete',
    reply: [streamHead(), chunk(delta('text')), fin],
    stdout: 'text\n',
    code: 11,
    stderr: /closed the connection before the answer ended/,
  },
  {
    name: 'S50 a body shorter than its content-length is incomplete',
    reply: [
      head(200, { 'content-type': 'text/event-stream', 'content-length': '9999' }),
      delta('text'),
      fin,
    ],
    stdout: 'text\n',
    code: 11,
    stderr: /closed the connection before the answer ended/,
  },
];

test.each([...answers, ...failures])('$name', async ({ reply, stdout, code = 0, stderr }) => {
  const server = await serve([reply]);
  const result = await runInMemory(['--retries', '0', 'hi'], { env: serviceAt(server) });
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout });
  expect(result.stderr).toMatch(stderr ?? /^$/);
});

test.each(['gzip', 'br', 'deflate'])('S48 a body in %s is decoded', async (encoding) => {
  const words = ['--sandbox', `[sandbox encoding=${encoding} echo]héllo`];
  expect(await runInMemory(words)).toMatchObject({ code: 0, stdout: 'héllo\n', stderr: '' });
});

test('S29 --reasoning shows reasoning on standard error', async () => {
  const thought = choice({ delta: { reasoning: 'first I think' } });
  const server = await serve([stream(thought, delta('text'), done)]);
  const result = await runInMemory(['--reasoning', 'hi'], { env: serviceAt(server) });
  expect(result).toMatchObject({ code: 0, stdout: 'text\n', stderr: 'first I think\n' });
});

test('S41 the idle timeout ends a stalled answer and keeps its text', async () => {
  // In one write, because the limit starts with the head.
  const server = await serve([[Buffer.concat([streamHead(), chunk(delta('text'))])]]);
  const words = ['--idle-timeout', '300ms', 'hi'];
  const { code, stdout, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 11, stdout: 'text\n' });
  expect(stderr).toMatch(/incomplete: the service sent no content for /);
});

test('S42 comments do not reset the idle timeout', async () => {
  const comments = Array.from({ length: 400 }, () => [chunk(': still here\n\n'), 50]).flat();
  const server = await serve([[streamHead(), ...comments]]);
  const words = ['--idle-timeout', '500ms', 'hi'];
  const { code, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect(code).toBe(10);
  expect(stderr).toMatch(/sent no content/);
});
