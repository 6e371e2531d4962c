import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/sandbox/exchange.ts';
import { parseRateLimit, sandboxKey } from '../../src/sandbox/keys.ts';
import { faultFields } from '../../src/sandbox/faults/fault-fields.ts';
import { fc } from '../support/properties.ts';
import {
  ask,
  chunkedHead,
  complete,
  completions,
  jsonOf,
  openLogged,
  openSandbox,
  openSocket,
  rawHead,
  readSocket,
  stream,
} from './sandbox-helpers.ts';

// The cost of a request before its answer.

const mebibyte = 1024 * 1024;

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

describe('nesting', () => {
  const tooDeep = 'the request body is nested more than 500 deep';

  test.each([
    [8000, null, 401, 'the Authorization header is missing'],
    [501, sandboxKey, 400, tooDeep],
    [8000, sandboxKey, 400, tooDeep],
    [500_000, sandboxKey, 400, tooDeep],
  ])(
    'X5: answers a body nested %i deep, sent with the key %s, with status %i, and logs it',
    async (depth, key, status, text) => {
      const { entries, sandbox } = await openLogged();
      const answer = await ask(sandbox, { ...completions, key, body: nested(depth) });
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(text);
      const [line] = await entries(1);
      expect(line).toMatchObject({ status, ended: 'done' });
      expect(String(line?.['body']).length).toBeLessThanOrEqual(65_537);
      expect((await complete(sandbox, 'hello')).status).toBe(200);
    },
  );

  test('X5: parses a body nested up to the limit', async () => {
    const answer = await ask(await openSandbox(), { ...completions, body: nested(500) });
    expect(jsonOf(answer)).toMatchObject({ error: { message: 'unsupported parameter: "a"' } });
  });
});

/** The first bytes that the sandbox sends to this request. */
async function firstBytes(request: string, body?: Buffer): Promise<string> {
  const socket = await openSocket(await openSandbox(), request);
  const answered = once(socket, 'data');
  if (body !== undefined) socket.write(body);
  return String((await answered)[0]);
}

describe('size', () => {
  test.each([
    ['without a key', rawHead(30 * mebibyte), /^HTTP\/1\.1 401 /],
    ['over the limit', rawHead(33 * mebibyte, sandboxKey), /400 [^]*the limit of 33554432 bytes/],
  ])('X6: refuses a request %s before its body is sent', async (_, head, answer) => {
    expect(await firstBytes(head)).toMatch(answer);
  });

  test('X6: refuses a body of unknown length as soon as it is over the limit', async () => {
    const body = Buffer.alloc(33 * mebibyte, 'x');
    expect(await firstBytes(`${chunkedHead}2100000\r\n`, body)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test.each([undefined, sandboxKey])(
    'X6: a client that first sends all of a refused body can read the answer (key %s)',
    async (key) => {
      const sandbox = await openSandbox();
      const socket = await openSocket(sandbox, rawHead(40 * mebibyte, key));
      for (let count = 0; count < 40; count += 1) {
        const isDrained = socket.write(Buffer.alloc(mebibyte, '['));
        if (!isDrained) await once(socket, 'drain');
      }
      socket.end();
      expect((await readSocket(socket)).text).toMatch(/^HTTP\/1\.1 40[01] /);
    },
  );

  test.each([
    [undefined, 401],
    [sandboxKey, 100],
  ])('X6: a client with the key %s that expects "100 Continue" gets %i', async (key, status) => {
    const head = rawHead(2, key).replace('Host:', 'Expect: 100-continue\r\nHost:');
    expect(await firstBytes(head)).toContain(`HTTP/1.1 ${status} `);
  });

  test('shortens an error message that quotes the request', async () => {
    const fields = { ['x'.repeat(mebibyte)]: 1 };
    const answer = await complete(await openSandbox(), 'hello', fields);
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2200);
  });

  test('limits an answer without a stream, and suggests a stream', async () => {
    const text = 'x'.repeat(mebibyte);
    const engine: Engine = async function* answerForever() {
      for (;;) yield { type: 'text-received', text, deltas: [text] };
    };
    const answer = await complete(await openSandbox({ engine }), 'hello');
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('request a stream');
  });

  test.each(['bom=999999999', 'comments=999999999', 'data-spaces=999999999', 'split=999999999'])(
    'refuses a fault that would need too much memory: %s',
    async (fields) => {
      expect((await stream(await openSandbox(), `[sandbox ${fields}]`)).status).toBe(400);
    },
  );

  test('refuses a group of megabytes', async () => {
    const prompt = `[sandbox body="${'\\"'.repeat(mebibyte)}"] hi`;
    expect((await complete(await openSandbox(), prompt)).status).toBe(400);
  });
});

describe('parseRateLimit', () => {
  test.each([
    ['3/10s', { requests: 3, seconds: 10 }],
    ['60/min', { requests: 60, seconds: 60 }],
    ['1/2m', { requests: 1, seconds: 120 }],
    [' 5/h ', { requests: 5, seconds: 3600 }],
  ])('reads %j', (text, limit) => {
    expect(parseRateLimit(text)).toEqual(limit);
  });

  test.each(['', '3', '3/', '0/s', '3/0s', '3/10', '-1/s', '3/10d'])('refuses %j', (text) => {
    expect(() => parseRateLimit(text)).toThrow(/looks like 3\/10s/);
  });
});

// Random malformed bodies: each may get any answer, and none may do harm.

const word = fc.oneof(
  fc.constantFrom(...faultFields.map(({ name }) => name), 'help', 'million', '500', '"', "'", ']'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** `[sandbox …]` groups, mostly invalid. */
const group = fc
  .array(fc.tuple(word, fc.constantFrom('', '=', '="'), word), { maxLength: 4 })
  .map((fields) => `[sandbox ${fields.map((parts) => parts.join('')).join(' ')}] hi`);

const message = fc.record({ role: fc.constantFrom('user', 'tool', 1), content: group });

const wellFormed = fc.record({
  model: fc.constantFrom<unknown>('origin', 'nextgen', {}),
  messages: fc.oneof(fc.array(message), fc.jsonValue()),
  stream: fc.constantFrom<unknown>(true, false, 1),
  max_tokens: fc.jsonValue(),
});

const body = fc.oneof(
  wellFormed.map((value) => Buffer.from(JSON.stringify(value))),
  fc.json().map((text) => Buffer.from(text, 'utf16le')),
);

test('X5, X6: the sandbox answers after 500 malformed requests, without an error of its own', async () => {
  const broken: string[] = [];
  const sandbox = await openSandbox({
    log(line) {
      const { problem = '' } = JSON.parse(line) as { problem?: string };
      if (/Error: |cannot be logged/.test(problem)) broken.push(line.slice(0, 2000));
    },
  });
  for (const bytes of fc.sample(body, 500)) {
    const socket = await openSocket(sandbox, rawHead(bytes.length, sandboxKey));
    const answered = new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
    // Some groups ask for an answer that never begins.
    const timer = setTimeout(() => socket.destroy(), 200);
    socket.write(bytes);
    await answered;
    clearTimeout(timer);
    socket.destroy();
  }
  expect((await complete(sandbox, '[sandbox echo] still here')).status).toBe(200);
  expect(broken).toEqual([]);
});
