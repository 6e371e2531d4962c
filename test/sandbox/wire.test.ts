import { once } from 'node:events';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  ask,
  complete,
  createLog,
  createSkippingClock,
  openSandbox,
  openSocket,
  rawRequest,
  readSocket,
  rule,
  serveFront,
  stream,
} from './sandbox-helpers.ts';

// The bytes on the connection and its end, which HTTP clients hide.

const read = async (prompt: string, options = {}) =>
  readSocket(await openSocket(await openSandbox(options), rawRequest(prompt)));

function eventCount(text: string): number {
  return text.split('data: ').length - 1;
}

describe('cut', () => {
  describe.each(['fin', 'rst'])('cut=%s ends the connection', (how) => {
    test.each([
      ['request', /^$/],
      ['headers', /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/],
      ['4', /\r\n\r\n(?:[^]*data: ){4}(?:(?!\r\n0\r\n)[^])*$/],
    ])('at cut-after=%s', async (place, text) => {
      const answer = await read(`[sandbox cut=${how} cut-after=${place}]`);
      expect(answer).toEqual({ text: expect.stringMatching(text) as string, end: how });
      expect(eventCount(answer.text)).toBe(Number(place) || 0);
    });
  });

  test('cut=end ends the body as valid HTTP', async () => {
    const answer = await stream(await openSandbox(), '[sandbox cut=end]');
    expect(answer.isComplete).toBe(true);
    expect(eventCount(answer.text)).toBe(3);
  });

  test('cuts a JSON body in half, below its Content-Length', async () => {
    const answer = await complete(await openSandbox(), '[sandbox cut] hello');
    expect(answer.isComplete).toBe(false);
    expect(answer.bytes.length).toBeGreaterThan(0);
    expect(answer.bytes.length).toBeLessThan(Number(answer.headers['content-length']));
  });

  test('cuts the answer of any endpoint', async () => {
    const sandbox = await openSandbox({ faults: [rule('cut-after=request')] });
    await expect(ask(sandbox)).rejects.toThrow(/socket hang up/);
  });
});

describe('how bytes are sent', () => {
  test('split=bytes writes single bytes', async () => {
    const { text } = await read('[sandbox echo split=bytes hold-open=false close-after] é');
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    expect(body).toMatch(/^1\r\nd\r\n1\r\na\r\n1\r\nt\r\n1\r\na\r\n/);
    expect(body.match(/(?:^|\r\n)1\r\n/g)?.length).toBeGreaterThan(200);
  });

  test('slow-headers sends the head byte by byte, and the body as usual', async () => {
    const clock = createSkippingClock();
    const prompt = '[sandbox tokens=1 slow-headers=7ms close-after]';
    const { text, end } = await read(prompt, { clock });
    const head = /^HTTP\/1\.1 200 OK\r\n[^]*?\r\n\r\n/.exec(text)?.[0] ?? '';
    expect(clock.waits.filter((wait) => wait === 7)).toHaveLength(head.length);
    expect(text).toMatch(/data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
    expect(end).toBe('fin');
  });

  test('drip=2/5ms writes two bytes at a time', async () => {
    const clock = createSkippingClock();
    const { bytes } = await stream(await openSandbox({ clock }), '[sandbox tokens=1 drip=2/5ms]');
    expect(clock.waits.filter((wait) => wait === 5)).toHaveLength(Math.ceil(bytes.length / 2));
  });

  test('malformed-as=endless never ends its line', async () => {
    const request = rawRequest('[sandbox malformed malformed-as=endless]');
    const socket = await openSocket(await openSandbox(), request);
    let length = 0;
    for await (const data of socket) {
      length += String(data).length;
      if (length > 5_000_000) break;
    }
    expect(length).toBeGreaterThan(5_000_000);
  });
});

describe('the connection', () => {
  test.each([
    ['framing=close', /\r\nConnection: close\r\n(?:(?!\n0\r\n)[^])*data: \[DONE\]\n\n$/i],
    ['close-after', /^(?:(?!Connection: close)[^])*\r\n0\r\n\r\n$/i],
    ['close-after early-hints', /^HTTP\/1\.1 103 Early Hints\r\n[^]*\r\n\r\nHTTP\/1\.1 200 OK/],
  ])('%s sends this, and closes the connection', async (fields, text) => {
    const answer = await read(`[sandbox tokens=1 ${fields}]`);
    expect(answer).toEqual({ text: expect.stringMatching(text) as string, end: 'fin' });
  });

  test('hold-open keeps the connection open after [DONE]', async () => {
    const sandbox = await openSandbox();
    const socket = await openSocket(sandbox, rawRequest('[sandbox tokens=1 hold-open]'));
    const answer = readSocket(socket);
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(300);
    const open = new Promise((resolve) => setTimeout(resolve, 100, 'open'));
    expect(await Promise.race([answer, open])).toBe('open');
    await sandbox.close();
    expect((await answer).text).toMatch(/\[DONE\](?:(?!\r\n0\r\n)[^])*$/);
  });

  test('sends the headers and each event immediately', async () => {
    const sandbox = await openSandbox();
    const socket = await openSocket(sandbox, rawRequest('[sandbox stall-after=1]'));
    let text = '';
    while (!text.includes('\n\n\r\n')) text += String((await once(socket, 'data'))[0]);
    expect(eventCount(text)).toBe(1);
  });

  test('charset changes only the header, and the body stays UTF-8', async () => {
    const answer = await stream(await openSandbox(), '[sandbox echo charset=windows-1252] é');
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=windows-1252');
    expect(answer.text).toContain('"é"');
  });
});

describe('encoding', () => {
  const decoders = { gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate };

  async function decode(name: keyof typeof decoders, bytes: Buffer): Promise<string> {
    const decoder = decoders[name]();
    decoder.end(bytes);
    const parts: Buffer[] = [];
    for await (const part of decoder) parts.push(part as Buffer);
    return Buffer.concat(parts).toString();
  }

  test.each(['gzip', 'br', 'deflate'] as const)(
    '%s compresses the same events and JSON',
    async (name) => {
      const sandbox = await openSandbox();
      const prompt = `[sandbox echo encoding=${name}] hello`;
      const answer = await stream(sandbox, prompt);
      expect(answer.headers['content-encoding']).toBe(name);
      expect(await decode(name, answer.bytes)).toMatch(/"hello"[^]*data: \[DONE\]\n\n$/);
      const whole = await complete(sandbox, prompt);
      expect(await decode(name, whole.bytes)).toContain('"content":"hello"');
    },
  );

  test('sends compressed events immediately, too', async () => {
    const sandbox = await openSandbox();
    const answer = await stream(sandbox, '[sandbox echo gzip cut=end cut-after=2] a b c');
    const gunzip = createGunzip();
    // The trailer is missing.
    gunzip.on('error', () => undefined);
    gunzip.write(answer.bytes);
    const [part] = (await once(gunzip, 'data')) as [Buffer];
    expect(eventCount(part.toString())).toBe(2);
  });
});

// Requests of web pages, which may reach this machine, to the sandbox and its upstream.

const completions = { path: '/v1/chat/completions' };

const origin = 'https://page.example';
const preflight = {
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};

test.each([
  ['POST', { origin, 'content-type': 'text/plain' }, 'hello'],
  ['OPTIONS', preflight, undefined],
])(
  'answers a %s of a web page with 401, and sends nothing to the upstream',
  async (method, headers, body) => {
    const { engine, sandbox } = await serveFront([[]]);
    const answer = await ask(sandbox, { ...completions, method, key: null, headers, body });
    expect(answer.status).toBe(401);
    expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    expect(engine.requests).toEqual([]);
  },
);

test.each(['127.0.0.1', 'localhost:8080', 'LOCALHOST', '[::1]:8080'])(
  'answers a request for the host %s',
  async (host) => {
    expect((await ask(await openSandbox(), { headers: { host } })).status).toBe(200);
  },
);

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
