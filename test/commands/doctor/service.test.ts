import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { done, json, finish, delta, stream } from '../../support/raw-replies.ts';
import { fin, type Reply } from '../../support/raw-server.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';
import { checksOf, environmentOf, examine } from './run-doctor.ts';

const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
const message = { role: 'assistant', content: 'ok' };
const whole = { id: 'chatcmpl-1', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
const refusal = (status: number) => json(status, { error: { message: 'no', type: 'nope' } });

const list = [json(200, { data: [{ id: 'origin' }] }, { 'x-request-id': 'r1' })];
const record = [json(200, { id: 'origin' })];
const answer: Reply = stream(delta('ok'), finish('stop'), done);

/** A healthy service: list, record, stream, one body, wrong key, unknown model. */
const healthy: readonly Reply[] = [
  list,
  record,
  answer,
  [json(200, whole)],
  [refusal(401)],
  [refusal(404)],
];

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
    'GET /v1/models/origin',
    'POST /v1/chat/completions',
    'POST /v1/chat/completions',
    'GET /v1/models',
    'POST /v1/chat/completions',
  ]);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({
    model: 'origin',
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    stream: true,
    max_tokens: 16,
  });
  expect(server.requests[4]?.headers['authorization']).toBe('Bearer natter-doctor-wrong-key');
  expectNoSecret(JSON.stringify(page));
});

test('the request for an unknown model needs no price and is not in the ledger', async () => {
  const server = await serve(healthy);
  const environment = environmentOf({
    NATTER_BASE_URL: server.url,
    NATTER_API_KEY: secretKey,
    NATTER_BUDGET: '5usd/day',
  });
  mkdirSync(environment.NATTER_CONFIG_DIR);
  const document = { version: 1, profiles: { default: { prices: { origin: '1/2' } } } };
  writeFileSync(join(environment.NATTER_CONFIG_DIR, 'config.json'), JSON.stringify(document));
  const { named } = await checksOf([], { environment });
  expect(named('unknown-model')?.text).toBe('an unknown model is refused: 404 not_found');
  const ledger = join(environment.NATTER_STATE_DIR, 'usage');
  const lines = readdirSync(ledger).flatMap((name) =>
    readFileSync(join(ledger, name), 'utf8').trimEnd().split('\n'),
  );
  expect(lines.map((line) => (JSON.parse(line) as { model: string }).model)).toEqual([
    'origin',
    'origin',
  ]);
});

test('the page says what the server does', async () => {
  const { page, named } = await examineService(healthy);
  expect(named('wrong-key')?.text).toBe('a wrong key is refused: 401 unauthorized');
  expect(named('unknown-model')?.text).toBe('an unknown model is refused: 404 not_found');
  expect(named('usage')?.text).toContain('none in streams');
  expect(named('request-id')?.text).toBe('request id: none in the headers');
  expect(named('errors')?.text).toBe('errors: JSON with error.message, error.type (401)');
  expect(page.server).toMatchObject({
    stream: { hasDone: true, usage: 'none', finishReason: 'stop' },
    whole: { hasUsage: true },
    error: { status: 401 },
  });
});

test('a server that answers every key and every model has notes', async () => {
  const { failure, named } = await examineService([
    list,
    [json(404, {})],
    [json(200, whole)],
    [json(200, whole)],
    list,
    [json(200, whole)],
  ]);
  expect(failure).toBeUndefined();
  expect(named('get')).toMatchObject({ outcome: 'note' });
  expect(named('form')?.text).toContain('the server sent one JSON body');
  expect(named('wrong-key')?.text).toContain('a wrong key gets the list of models too');
  expect(named('unknown-model')?.text).toContain('any model id is answered');
});

test('a model that the service does not list is a warning with the command that sets one', async () => {
  const { named } = await examineService([
    [json(200, { data: [{ id: 'llama3' }] })],
    ...healthy.slice(1),
  ]);
  expect(named('model')).toMatchObject({
    outcome: 'warning',
    advice: 'natter config set model llama3',
  });
});

test.each<[string, readonly Reply[], string, number]>([
  ['a refused key', [[refusal(401)]], 'unauthorized', 1],
  ['a rate limit', [[refusal(429)]], 'rate_limited', 1],
  ['a connection that closes', [[fin]], 'unreachable', 1],
  ['a failing server', [[refusal(500)]], 'server_error', 5],
])('after %s the exit code names the cause', async (_, replies, kind, requests) => {
  const { server, failure, page } = await examineService(replies);
  expect(failure).toMatchObject({ kind });
  expect(page.checks.find(({ outcome }) => outcome === 'failed')?.advice).not.toBe('');
  expect(server.requests.length).toBeLessThanOrEqual(requests);
});

test('an answer that is cut has advice about the server, not about the text', async () => {
  const cut = stream(delta('ok')).slice(0, 2);
  const { failure, named, page } = await examineService([
    list,
    record,
    [...cut, fin],
    ...healthy.slice(3),
  ]);
  expect(failure).toMatchObject({ kind: 'incomplete' });
  expect(named('stream')?.advice).toContain('natter --no-stream');
  expect(page.server?.stream).toBeNull();
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
  expect(loud.stderr).toContain('sending up to 3 prompts for answers of up to 16 tokens each');
  expect((await examine(['-q', '--offline'], { environment })).stderr).toBe('');
});

test('on a terminal of 40 columns no row is longer', async () => {
  const server = await serve(healthy);
  const { stdout } = await examine(['--color', 'never'], {
    environment: environmentOf({ NATTER_BASE_URL: server.url }),
    terminals: ['stdout'],
    columns: 40,
  });
  expect(stdout.split('\n').filter((line) => line.length > 40)).toEqual([]);
  expect(stdout).toMatch(/^Program\n {2}ok {4}natter 1\.2\.3/);
  expect(stdout).toMatch(/\n\d+ checks: \d+ ok\n$/);
});
