import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { writeRecord } from '../../src/sandbox/exchange.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import {
  ask,
  complete,
  completions,
  createLog,
  openLogged,
  openSocket,
  rawRequest,
  stream,
} from './sandbox-helpers.ts';

test('logs a streamed answer as one line, as docs/sandbox.md shows', async () => {
  const guide = readFileSync('docs/sandbox.md', 'utf8');
  const shown = /^(?<line>\{"time".*)$/m.exec(guide)?.groups?.['line'] ?? '';
  const { entries, lines, sandbox } = await openLogged();
  await stream(sandbox, '[sandbox echo] hello world');
  expect(await entries(1)).toEqual([JSON.parse(shown)]);
  expect(lines[0]).not.toContain('\n');
});

test('logs each attempt', async () => {
  const { entries, sandbox } = await openLogged();
  for (let count = 0; count < 3; count += 1) await complete(sandbox, '[sandbox 500 times=2]');
  const rule = '[sandbox 500 times=2]';
  expect(await entries(3)).toMatchObject([
    { status: 500, rule, attempt: 1 },
    { status: 500, rule, attempt: 2 },
    { status: 200, rule, attempt: 3 },
  ]);
});

test('omits the key and the body of a request without them', async () => {
  const { entries, sandbox } = await openLogged();
  await ask(sandbox, { key: null, path: '/v1/models?x=1' });
  const [entry] = await entries(1);
  expect(entry).toMatchObject({ method: 'GET', path: '/v1/models?x=1', status: 401 });
  expect(entry).not.toHaveProperty('key');
  expect(entry).not.toHaveProperty('body');
});

test('logs a body that is not JSON as text', async () => {
  const { entries, sandbox } = await openLogged();
  await ask(sandbox, { ...completions, body: '{"model' });
  expect(await entries(1)).toMatchObject([{ status: 400, body: '{"model' }]);
});

test('X2: masks a key in base64 in the body', async () => {
  const { entries, sandbox } = await openLogged();
  const key = 'sandbox-key-free-tier';
  const encoded = Buffer.from(key).toString('base64');
  await complete(sandbox, `my key is ${encoded}`, {}, { key });
  const [entry] = await entries(1);
  expect(entry).toMatchObject({
    key: '…tier',
    body: { messages: [{ content: expect.stringContaining('***') }] },
  });
  expect(JSON.stringify(entry)).not.toContain(encoded.slice(10, -4));
});

test.each([sandboxKey, 'sk-"quoted"-secret'])('masks the key %s everywhere', async (key) => {
  const { entries, sandbox } = await openLogged();
  await complete(sandbox, `my key is ${key}`, {}, { key });
  await ask(sandbox, { key, path: `/v1/models/${encodeURIComponent(key)}` });
  const found = await entries(2);
  expect(JSON.stringify(found)).not.toContain(JSON.stringify(key).slice(1, -1));
  expect(found[1]?.['path']).toBe('/v1/models/***');
  expect(found[0]?.['key']).toMatch(/^….{0,4}$/);
});

describe('a long body', () => {
  const key = 'sk-live-0123456789';

  async function loggedBody(body: unknown): Promise<string> {
    const { entries, sandbox } = await openLogged();
    await ask(sandbox, { ...completions, body });
    const [entry] = await entries(1);
    return String(entry?.['body']);
  }

  test('is logged as the start of its text, also if it is JSON', async () => {
    const escapes = '%41'.repeat(1_000_000);
    expect(await loggedBody(escapes)).toBe(`${escapes.slice(0, 65_536)}…`);
    const request = { model: escapes, messages: [] };
    expect(await loggedBody(request)).toBe(`${JSON.stringify(request).slice(0, 65_536)}…`);
  });

  test('is logged as JSON up to its limit', async () => {
    const { entries, sandbox } = await openLogged();
    const text = 'a'.repeat(65_000);
    await complete(sandbox, text);
    expect(await entries(1)).toMatchObject([{ body: { messages: [{ content: text }] } }]);
  });

  test.each([
    ['as it is', key],
    ['in base64', Buffer.from(key).toString('base64')],
  ])('X2: does not show the start of a key %s that the log cuts', async (_, written) => {
    const log = createLog();
    for (let shown = 1; shown < written.length; shown += 1) {
      const body = 'x'.repeat(65_536 - shown) + written.repeat(2);
      writeRecord(log.write, { time: '', events: 0, body }, key);
    }
    for (const { body } of await log.entries(1)) {
      expect(String(body).replace(/^x+/, '')).toMatch(/^\*{1,6}…$/);
    }
  });
});

test('distinguishes a cut from a client that disconnects', async () => {
  const { entries, sandbox } = await openLogged();
  await stream(sandbox, '[sandbox rst]');
  const socket = await openSocket(sandbox, rawRequest('[sandbox stall=2]'));
  socket.once('data', () => socket.destroy());
  expect(await entries(2)).toMatchObject([
    { ended: 'cut', events: 3 },
    { ended: 'client closed', events: 2 },
  ]);
});

test('logs an answer that ends because the sandbox closes', async () => {
  const { entries, sandbox } = await openLogged();
  const socket = await openSocket(sandbox, rawRequest('[sandbox stall=0]'));
  // The connection may end with a reset.
  socket.on('error', () => undefined);
  await once(socket, 'data');
  await sandbox.close();
  expect(await entries(1)).toMatchObject([{ ended: 'sandbox closed' }]);
});
