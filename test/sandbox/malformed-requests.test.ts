// Random malformed requests: each may get any answer, and none may do harm.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { faultFieldRows } from '../../src/sandbox/faults/fault-fields.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { fc } from '../support/properties.ts';
import { complete, openSandbox } from './sandbox-helpers.ts';

const word = fc.oneof(
  fc.constantFrom(...faultFieldRows.map(([name]) => name), 'help', 'million', '500', '"', "'", ']'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** `[sandbox …]` groups, mostly invalid. */
const group = fc
  .array(fc.tuple(word, fc.constantFrom('', '=', '="'), word), { maxLength: 4 })
  .map((fields) => `[sandbox ${fields.map((parts) => parts.join('')).join(' ')}] hi`);

const messages = fc.oneof(
  fc.array(
    fc.record({
      role: fc.constantFrom('user', 'system', 'assistant', 'tool', 1, null),
      content: fc.oneof(group, fc.string(), fc.anything()),
    }),
    { maxLength: 3 },
  ),
  fc.anything(),
);

const wellFormed = fc
  .record(
    {
      model: fc.constantFrom<unknown>('origin', 'nextgen', '', {}, 'x'.repeat(10_000)),
      messages,
      stream: fc.constantFrom<unknown>(true, false, 1),
      max_tokens: fc.oneof(fc.integer(), fc.double()),
    },
    { requiredKeys: ['model', 'messages'] },
  )
  .map((value) =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? 0 : part)),
  );

const nested = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"messages":[', ']}]'], ['"', '"']),
    fc.integer({ min: 0, max: 20_000 }),
    fc.boolean(),
  )
  .map(([[opening = '', closing = ''], times, isClosed]) => {
    return `${opening.repeat(times)}0${isClosed ? closing.repeat(times) : ''}`;
  });

const body = fc.oneof(
  { weight: 3, arbitrary: wellFormed.map((text) => Buffer.from(text)) },
  nested.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(`\uFEFF${text}`)),
  wellFormed.map((text) => Buffer.from(text, 'utf16le')),
);

const headerLine = fc.oneof(
  fc.constantFrom(
    'Content-Type: application/json',
    'Content-Type: text/plain',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Content-Length: 5',
    'Content-Length: 99999999999',
    'Content-Length: -1',
    'Expect: 100-continue',
    'Connection: upgrade\r\nUpgrade: websocket',
    'Connection: close',
    'Host: page.example',
    `Authorization: Bearer ${'x'.repeat(5000)}`,
    'Authorization: Basic eDp5',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `X-Text: ${text}`),
);

const requestLine = fc.oneof(
  { weight: 6, arbitrary: fc.constant('POST /v1/chat/completions HTTP/1.1') },
  fc.constantFrom(
    'GET /v1/models HTTP/1.1',
    'GET /v1/models/%ff%00 HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'CONNECT localhost:1 HTTP/1.1',
    'GET http://page.example/v1/models HTTP/1.0',
    'PRI * HTTP/2.0',
    `GET /${'x'.repeat(20_000)} HTTP/1.1`,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const key = fc.constantFrom(sandboxKey, sandboxKey, sandboxKey, 'sk-unknown', undefined);

const whole = fc
  .record({
    line: requestLine,
    key,
    headers: fc.oneof(fc.constant([]), fc.array(headerLine, { maxLength: 3 })),
    hasLength: fc.constantFrom(true, true, true, false),
    body,
  })
  .map(({ line, key: token, headers, hasLength, body: bytes }) => {
    const head = [
      line,
      'Host: localhost',
      'Content-Type: application/json',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(hasLength ? [`Content-Length: ${bytes.length}`] : []),
      ...headers,
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
  });

/** Requests that are whole, cut, or have a changed byte. */
const request = fc
  .tuple(whole, fc.constantFrom('whole', 'cut', 'changed'), fc.nat(), fc.nat({ max: 255 }))
  .map(([bytes, change, place, value]) => {
    if (change === 'cut') return bytes.subarray(0, place % (bytes.length + 1));
    if (change === 'changed') bytes[place % bytes.length] = value;
    return bytes;
  });

/** Sends a request, and disconnects at the first data of the answer or after 200 milliseconds. */
async function send({ port }: Sandbox, bytes: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {
    // A reset is one way to refuse a request.
  });
  const timer = setTimeout(() => socket.destroy(), 200);
  socket.on('data', () => socket.destroy());
  socket.on('end', () => socket.destroy());
  socket.write(bytes);
  await closed;
  clearTimeout(timer);
}

async function sendAll(sandbox: Sandbox, requests: readonly Buffer[]): Promise<void> {
  const queue = requests[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const bytes of queue) await send(sandbox, bytes);
  };
  await Promise.all(Array.from({ length: 128 }, work));
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after garbage collection. */
async function memoryInUse(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('X5, X6: the sandbox answers after 1,000 malformed requests, and has freed their memory', async () => {
  const lines = { count: 0, broken: [] as string[] };
  const sandbox = await openSandbox({
    log(line) {
      lines.count += 1;
      const { problem = '' } = JSON.parse(line) as { problem?: string };
      if (/Error: |cannot be logged/.test(problem)) lines.broken.push(line.slice(0, 2000));
    },
  });
  const requests = fc.sample(request, 1000);
  await sendAll(sandbox, requests.slice(0, 200));
  const before = await memoryInUse();
  await sendAll(sandbox, requests);
  const answer = await complete(sandbox, '[sandbox echo] still here');
  expect(answer.status).toBe(200);
  expect(lines.broken).toEqual([]);
  expect(lines.count).toBeGreaterThan(750);
  await expect
    .poll(async () => (await memoryInUse()) - before, { interval: 100 })
    .toBeLessThan(8 * 1024 * 1024);
});
