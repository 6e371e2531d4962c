import { getEventListeners, once } from 'node:events';
import { brotliDecompressSync, createGunzip, gunzipSync, inflateSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Engine } from '../../src/sandbox/exchange.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import {
  ask,
  chunkedHead,
  complete,
  completions,
  createSkippingClock,
  jsonOf,
  openLogged,
  openSandbox,
  openSocket,
  rawRequest,
  readSocket,
  rule,
  serveFront,
  stream,
} from './sandbox-helpers.ts';

describe('startSandbox', () => {
  test('listens on any free port of the loopback address', async () => {
    const [first, second] = [await openSandbox(), await openSandbox()];
    expect(first.url).toBe(`http://127.0.0.1:${first.port}`);
    expect(first.port).not.toBe(second.port);
    expect((await ask(second)).status).toBe(200);
  });

  test.each(['0.0.0.0', '::', '192.168.1.1', 'example.com', '127.evil.example', ''])(
    'refuses to listen on %j',
    async (host) => {
      await expect(startSandbox({ host })).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('only on this machine'),
      });
    },
  );

  test('reports a port that is in use', async () => {
    const { port } = await openSandbox();
    await expect(startSandbox({ port })).rejects.toMatchObject({
      kind: 'usage',
      message: `cannot listen on 127.0.0.1 port ${port}: the port is in use`,
      hint: expect.stringContaining('another port'),
    });
  });

  test('keeps the process alive, except with `unref`', async () => {
    const servers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    // Servers of earlier tests count until their handles are closed.
    await expect.poll(servers).toBe(0);
    await openSandbox({ unref: true });
    expect(servers()).toBe(0);
    await openSandbox();
    expect(servers()).toBe(1);
  });
});

describe('close', () => {
  test.each(['[sandbox stall=1]', '[sandbox delay=forever]', '[sandbox delay=1h]'])(
    'cuts %s immediately',
    async (prompt) => {
      const sandbox = await openSandbox({ clock: systemClock });
      const socket = await openSocket(sandbox, rawRequest(prompt));
      const answer = readSocket(socket);
      // After this answer, the sandbox has received the other request too.
      await ask(sandbox);
      const start = performance.now();
      await sandbox.close();
      await answer;
      expect(performance.now() - start).toBeLessThan(20_000);
    },
  );

  test('may be called twice', async () => {
    const sandbox = await openSandbox();
    await sandbox.close();
    await expect(sandbox.close()).resolves.toBeUndefined();
  });

  test('closes idle connections', async () => {
    const sandbox = await openSandbox();
    const socket = await openSocket(sandbox, '');
    socket.resume();
    const closed = once(socket, 'close');
    await ask(sandbox);
    await sandbox.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

test.each([
  ['a head that is too long', `GET /v1/models HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['bytes that are not HTTP', '\u0000\u0001\r\n\r\n', 400],
  ['a body that is not valid HTTP', `${chunkedHead}zz\r\n`, 400],
])('answers %s as JSON, closes the connection, and logs it', async (_, bytes, status) => {
  const { entries, sandbox } = await openLogged();
  const { text } = await readSocket(await openSocket(sandbox, bytes));
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const message = expect.stringMatching(/^the request is not HTTP: /) as string;
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ error: { message } });
  expect((await entries(1))[0]).toMatchObject({ problem: message });
  expect((await complete(sandbox, 'hello')).status).toBe(200);
});

describe('a connection that the client closes', () => {
  /** An engine that answers the first prompts, and waits with the others until they are aborted. */
  function createEngine(answered: number) {
    const signals: AbortSignal[] = [];
    const engine: Engine = async function* answer(_, signal) {
      signals.push(signal);
      if (signals.length > answered) {
        await once(signal, 'abort');
        return;
      }
      yield { type: 'text-received', text: 'whole', deltas: ['whole'] };
      yield { type: 'answer-finished', attempts: 1, timing: { total: 1 } };
    };
    const areAborted = () => signals.map((signal) => signal.aborted);
    return { engine, signals, areAborted };
  }

  const request = rawRequest('first');

  test.each([
    ['after a whole answer', request, request],
    ['with two requests sent together', request + request, ''],
  ])('aborts the open answer %s', async (_, first, second) => {
    const { engine, signals, areAborted } = createEngine(1);
    const socket = await openSocket(await openSandbox({ engine }), first);
    await once(socket, 'data');
    expect(areAborted()).not.toContain(true);
    socket.write(second);
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    socket.destroy();
    await vi.waitFor(() => expect(areAborted().at(-1)).toBe(true));
    expect(signals.at(-1)?.reason).toMatchObject({ message: 'the connection has ended' });
  });

  test.each([{}, { split: { bytes: 9999 } }, { encoding: 'gzip' }] as const)(
    'has no listeners left of earlier answers, with the fault %j',
    async (fault) => {
      const { engine, signals } = createEngine(9);
      const sandbox = await openSandbox({ engine, faults: [{ label: 'all', when: {}, fault }] });
      const socket = await openSocket(sandbox, request);
      let received = '';
      socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
      for (let answers = 1; answers <= 3; answers += 1) {
        await vi.waitFor(() => expect(received.split('\r\n0\r\n\r\n')).toHaveLength(answers + 1));
        await vi.waitFor(() => {
          expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
        });
        socket.write(request);
      }
    },
  );

  test('does not end the answer of another connection', async () => {
    const { engine, signals, areAborted } = createEngine(0);
    const sandbox = await openSandbox({ engine });
    await openSocket(sandbox, request);
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    const closed = await openSocket(sandbox, request);
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    closed.destroy();
    await vi.waitFor(() => expect(areAborted()).toEqual([false, true]));
  });
});

test('an error in the sandbox is a 500 and one log line, and the next request is answered', async () => {
  const engine = () => {
    throw new RangeError('broken');
  };
  const { entries, sandbox } = await openLogged({ engine });
  const answer = await complete(sandbox, 'hello');
  expect(answer.status).toBe(500);
  expect(jsonOf(answer)).toMatchObject({ error: { name: 'server_error' } });
  expect((await complete(sandbox, '[sandbox echo] hello')).status).toBe(200);
  expect(await entries(2)).toMatchObject([
    { status: 500, problem: 'RangeError: broken' },
    { status: 200 },
  ]);
});

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
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };

  test.each(['gzip', 'br', 'deflate'] as const)(
    '%s compresses the same events and JSON',
    async (name) => {
      const sandbox = await openSandbox();
      const prompt = `[sandbox echo encoding=${name}] hello`;
      const answer = await stream(sandbox, prompt);
      expect(answer.headers['content-encoding']).toBe(name);
      expect(String(decoders[name](answer.bytes))).toMatch(/"hello"[^]*data: \[DONE\]\n\n$/);
      const whole = await complete(sandbox, prompt);
      expect(String(decoders[name](whole.bytes))).toContain('"content":"hello"');
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
    const { entries, sandbox } = await openLogged({ faults: [rule('429 times=1')] });
    const headers = { host };
    expect((await ask(sandbox, { headers })).status).toBe(403);
    expect((await complete(sandbox, 'hello', {}, { headers })).status).toBe(403);
    expect((await entries(2)).map((entry) => entry['rule'])).toEqual([undefined, undefined]);
    expect((await complete(sandbox, 'hello')).status).toBe(429);
  },
);

test('gives other requests a turn while it writes a long JSON body', async () => {
  const sandbox = await openSandbox();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const { text } = await complete(sandbox, '[sandbox tokens=300k]');
  clearInterval(timer);
  expect(text.length).toBeGreaterThan(1_000_000);
  expect(turns).toBeGreaterThan(15);
});
