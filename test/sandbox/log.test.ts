import { expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { createLog } from './log-helpers.ts';
import {
  ask,
  complete,
  createSkippingClock,
  openSandbox,
  openSocket,
  rawRequest,
  stream,
} from './sandbox-helpers.ts';

async function openLogged(latency = {}) {
  const log = createLog();
  const clock = createSkippingClock();
  return { log, sandbox: await openSandbox({ clock, latency, log: log.write }) };
}

test('a streamed answer is one line with all there is to know', async () => {
  const { log, sandbox } = await openLogged();
  await stream(sandbox, '[sandbox echo] hello world');
  expect(await log.entries(1)).toEqual([
    {
      time: '2026-11-21T12:00:00.000Z',
      method: 'POST',
      path: '/v1/chat/completions',
      key: '…',
      tier: 'unlimited',
      model: 'origin',
      stream: true,
      rule: '[sandbox echo]',
      attempt: 1,
      status: 200,
      events: 4,
      ended: 'done',
      milliseconds: 18,
      body: {
        model: 'origin',
        messages: [{ role: 'user', content: '[sandbox echo] hello world' }],
        stream: true,
      },
    },
  ]);
  expect(log.lines[0]).not.toContain('\n');
});

test('each attempt is a line', async () => {
  const { log, sandbox } = await openLogged();
  for (let count = 0; count < 3; count += 1) await complete(sandbox, '[sandbox 500 times=2]');
  const entries = await log.entries(3);
  expect(entries.map(({ status, attempt }) => [status, attempt])).toEqual([
    [500, 1],
    [500, 2],
    [200, 3],
  ]);
});

test('a request without a key or a body says so by their absence', async () => {
  const { log, sandbox } = await openLogged();
  await ask(sandbox, { key: null, path: '/v1/models?x=1' });
  const [entry] = await log.entries(1);
  expect(entry).toMatchObject({ method: 'GET', path: '/v1/models?x=1', status: 401 });
  expect(entry).not.toHaveProperty('key');
  expect(entry).not.toHaveProperty('body');
});

test('a body that is no JSON is kept as text', async () => {
  const { log, sandbox } = await openLogged();
  await ask(sandbox, { method: 'POST', path: '/v1/chat/completions', body: '{"model' });
  expect(await log.entries(1)).toMatchObject([{ status: 400, body: '{"model' }]);
});

test('X2: a key in base64 in the body is masked, too', async () => {
  const { log, sandbox } = await openLogged();
  const key = 'sk-live-0123456789';
  const encoded = Buffer.from(`Bearer ${key}`).toString('base64');
  await complete(sandbox, `my key is ${encoded}`, {}, { key });
  const [entry] = await log.entries(1);
  expect(entry).toMatchObject({ key: '…6789' });
  expect(JSON.stringify(entry)).not.toContain(encoded.slice(10, -4));
});

test.each([sandboxKey, 'sk-"quoted"-secret'])('the key %s stands nowhere', async (key) => {
  const { log, sandbox } = await openLogged();
  await complete(sandbox, `my key is ${key}`, {}, { key });
  await ask(sandbox, { key, path: `/v1/models/${encodeURIComponent(sandboxKey)}` });
  const entries = await log.entries(2);
  expect(JSON.stringify(entries[0])).not.toContain(JSON.stringify(key).slice(1, -1));
  expect(entries[0]?.['key']).toMatch(/^….{0,4}$/);
});

test('a cut is told from a client that leaves', async () => {
  const { log, sandbox } = await openLogged();
  await stream(sandbox, '[sandbox rst]');
  const socket = await openSocket(sandbox, rawRequest('[sandbox stall=2]'));
  socket.once('data', () => {
    socket.destroy();
  });
  expect(await log.entries(2)).toMatchObject([
    { ended: 'cut', events: 3 },
    { ended: 'client closed', events: 2 },
  ]);
});

test('an answer broken off by the end of the sandbox says so', async () => {
  const { log, sandbox } = await openLogged();
  const socket = await openSocket(sandbox, rawRequest('[sandbox stall=0]'));
  socket.on('error', () => {
    // The end may come as a reset.
  });
  await new Promise<void>((resolve) => {
    socket.once('data', () => {
      resolve();
    });
  });
  await sandbox.close();
  expect(await log.entries(1)).toMatchObject([{ ended: 'sandbox closed' }]);
});
