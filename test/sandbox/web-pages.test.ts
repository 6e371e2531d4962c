// Requests of web pages, which may reach this machine, to the sandbox and its upstream.

import { expect, test } from 'vitest';
import { serveFront } from './engine-helpers.ts';
import { createLog } from './log-helpers.ts';
import { ask, complete, openSandbox, type Question } from './sandbox-helpers.ts';

const completions: Question = { method: 'POST', path: '/v1/chat/completions' };

const text = { 'content-type': 'text/plain', origin: 'https://page.example' };

test('answers a body of any type without a key with 401, and sends nothing to the upstream', async () => {
  const { engine, sandbox } = await serveFront([[]]);
  const body = { model: 'origin', messages: [{ role: 'user', content: 'hello' }] };
  const answer = await ask(sandbox, { ...completions, key: null, headers: text, body });
  expect(answer.status).toBe(401);
  expect(Object.keys(answer.headers).join()).not.toContain('access-control');
  expect(engine.requests).toEqual([]);
});

test('answers a preflight without the headers that a web page needs', async () => {
  const { engine, sandbox } = await serveFront([[]]);
  const headers = {
    origin: 'https://page.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  };
  const answer = await ask(sandbox, { ...completions, method: 'OPTIONS', key: null, headers });
  expect(answer.status).toBe(401);
  expect(Object.keys(answer.headers).join()).not.toContain('access-control');
  expect(engine.requests).toEqual([]);
});

test.each(['page.example', 'localhost.page.example', '127.0.0.1.page.example:80', '[::2]'])(
  'answers every request for a name that resolves to this machine with 403: %j',
  async (host) => {
    const { write: log, entries } = createLog();
    const rules = [{ label: 'once', when: {}, fault: { status: 429, times: 1 } }];
    const sandbox = await openSandbox({ log, faults: rules });
    const headers = { host };
    expect((await ask(sandbox, { headers })).status).toBe(403);
    expect((await complete(sandbox, 'hello', {}, { headers })).status).toBe(403);
    expect((await entries(2)).map((entry) => entry['rule'])).toEqual([undefined, undefined]);
    expect((await complete(sandbox, 'hello')).status).toBe(429);
  },
);
