// What a web page, which may send requests to this machine, can do to the sandbox and the upstream behind it.

import { expect, test } from 'vitest';
import { serveFront } from './engine-helpers.ts';
import { createLog } from './log-helpers.ts';
import { ask, complete, openSandbox, type Question } from './sandbox-helpers.ts';

const completions: Question = { method: 'POST', path: '/v1/chat/completions' };

const text = { 'content-type': 'text/plain', origin: 'https://page.example' };

test('a web page may send a body of any type without a key, which is 401 and reaches no upstream', async () => {
  const { engine, sandbox } = await serveFront([[]]);
  const body = { model: 'origin', messages: [{ role: 'user', content: 'hello' }] };
  const answer = await ask(sandbox, { ...completions, key: null, headers: text, body });
  expect(answer.status).toBe(401);
  expect(Object.keys(answer.headers).join()).not.toContain('access-control');
  expect(engine.requests).toEqual([]);
});

test('a web page is refused the headers it would need by the answer to its preflight', async () => {
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
  'a web page whose name leads to this machine gets 403 for everything, with a key too: %j',
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
