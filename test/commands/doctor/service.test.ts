import { expect, test } from 'vitest';
import { done, json, finish, delta, stream } from '../../support/raw-replies.ts';
import { fin, type Reply } from '../../support/raw-server.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';
import { checksOf, environmentOf, examine } from './run-doctor.ts';

const message = { role: 'assistant', content: 'ok' };
const whole = { id: 'chatcmpl-1', choices: [{ index: 0, message, finish_reason: 'stop' }] };
const refusal = (status: number) => json(status, { error: { message: 'no', type: 'nope' } });

const list = [json(200, { data: [{ id: 'origin' }] }, { 'x-request-id': 'r1' })];
const answer: Reply = stream(delta('ok'), finish('stop'), done);
const healthy: readonly Reply[] = [list, answer];

async function examineService(replies: readonly Reply[], words: readonly string[] = []) {
  const server = await serve(replies);
  const environment = environmentOf({ NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey });
  return { server, ...(await checksOf(words, { environment })) };
}

test('a healthy service passes, and four fields are sent with a small max_tokens', async () => {
  const { server, page, failure } = await examineService(healthy);
  expect(failure).toBeUndefined();
  expect(page.exit_code).toBe(0);
  expect(page.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/models',
    'POST /v1/chat/completions',
  ]);
  expect(JSON.parse(server.requests[1]?.body ?? '')).toEqual({
    model: 'origin',
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    stream: true,
    max_tokens: 16,
  });
  expectNoSecret(JSON.stringify(page));
});

test('N5: -m chooses the model of the prompt, and overrides the setting', async () => {
  const listed = [json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] })];
  const { server, named } = await examineService([listed, answer], ['-m', 'nextgen']);
  expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({ model: 'nextgen' });
  expect(named('setting')?.text).toContain('base-url');
  expect(named('model')).toBeUndefined();
});

const refusedLimit = json(400, {
  error: {
    message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    param: 'max_tokens',
  },
});

test('N4: a service that refuses max_tokens is asked again without, and passes with a note', async () => {
  const { server, failure, named } = await examineService([list, [refusedLimit], answer]);
  expect(failure).toBeUndefined();
  expect(JSON.parse(server.requests[2]?.body ?? '')).not.toHaveProperty('max_tokens');
  expect(named('max-tokens')).toMatchObject({
    outcome: 'note',
    text: 'the service refuses max_tokens, and answers without it',
  });
  expect(named('max-tokens')?.advice).toContain('--param max_completion_tokens=');
  expect(named('stream')?.outcome).toBe('ok');
});

test('N4: a max_tokens of the settings that the service refuses fails, with the other parameter', async () => {
  const server = await serve([list, [refusedLimit], [refusedLimit]]);
  const environment = environmentOf({ NATTER_BASE_URL: server.url, NATTER_MAX_TOKENS: '50' });
  const { failure, named } = await checksOf([], { environment });
  expect(failure).toMatchObject({ kind: 'invalid_request' });
  expect(named('stream')?.advice).toBe(
    'omit -t, or send the limit with --param max_completion_tokens=500',
  );
});

test('a service without a list of models has a note', async () => {
  const { failure, named } = await examineService([[json(404, {})], answer]);
  expect(failure).toBeUndefined();
  expect(named('list')).toMatchObject({ outcome: 'note' });
});

test('a model that the service does not list is a warning with the command that sets one', async () => {
  const { named } = await examineService([[json(200, { data: [{ id: 'llama3' }] })], answer]);
  expect(named('model')).toMatchObject({
    outcome: 'warning',
    advice: 'natter config set model llama3',
  });
});

test.each<[string, readonly Reply[], string, number]>([
  ['a refused key', [[refusal(401)]], 'unauthorized', 1],
  ['a rate limit', [[refusal(429)]], 'rate_limited', 1],
  ['a connection that closes', [[fin]], 'unreachable', 1],
  ['a failing server', [[refusal(500)]], 'server_error', 3],
])('after %s the exit code names the cause', async (_, replies, kind, requests) => {
  const { server, failure, page } = await examineService(replies);
  expect(failure).toMatchObject({ kind });
  expect(page.checks.find(({ outcome }) => outcome === 'failed')?.advice).not.toBe('');
  expect(server.requests.length).toBeLessThanOrEqual(requests);
});

test('after a cut stream an answer without a stream is asked for, and the advice is about the server', async () => {
  const cut = stream(delta('ok')).slice(0, 2);
  const { failure, named } = await examineService([list, [...cut, fin], [json(200, whole)]]);
  expect(failure).toMatchObject({ kind: 'incomplete' });
  expect(named('stream')?.advice).toContain('natter --no-stream');
  expect(named('no-stream')?.outcome).toBe('ok');
});

test('--offline sends nothing, and reports that', async () => {
  const server = await serve(healthy);
  const environment = environmentOf({ NATTER_BASE_URL: server.url });
  const { named, failure } = await checksOf(['--offline'], { environment });
  expect(failure).toBeUndefined();
  expect(named('offline')?.text).toBe('the service was not checked: --offline');
  expect(server.connections()).toBe(0);
});

test('the cost is printed before a prompt is sent, and not with --quiet', async () => {
  const server = await serve(healthy);
  const environment = environmentOf({ NATTER_BASE_URL: server.url });
  const loud = await examine([], { environment });
  expect(loud.stderr).toContain('sending one prompt for an answer of at most 16 tokens');
  expect((await examine(['-q', '--offline'], { environment })).stderr).toBe('');
});

test('on a terminal of 40 columns rows break between words', async () => {
  const server = await serve(healthy);
  const { stdout } = await examine(['--color', 'never'], {
    environment: environmentOf({ NATTER_BASE_URL: server.url }),
    terminals: ['stdout'],
    columns: 40,
  });
  const long = stdout.split('\n').filter((line) => line.length > 40);
  // The terminal breaks a path that is longer than a row.
  expect(long.filter((line) => !/^ *\S{32,}/.test(line))).toEqual([]);
  expect(stdout).toMatch(/^Program\n {2}ok {4}natter 1\.2\.3/);
  expect(stdout).toMatch(/\n\d+ checks: \d+ ok\n$/);
});
