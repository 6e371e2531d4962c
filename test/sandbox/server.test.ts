import { getEventListeners, once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Engine } from '../../src/sandbox/exchange.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import {
  ask,
  complete,
  createLog,
  jsonOf,
  openSandbox,
  openSocket,
  rawHead,
  rawRequest,
  readSocket,
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
  [
    'a body that is not valid HTTP',
    `${rawHead(0, sandboxKey).replace('Content-Length: 0', 'Transfer-Encoding: chunked')}zz\r\n`,
    400,
  ],
])('answers %s as JSON, closes the connection, and logs it', async (_, bytes, status) => {
  const { write: log, entries } = createLog();
  const sandbox = await openSandbox({ log });
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
  const { write: log, entries } = createLog();
  let calls = 0;
  const sandbox = await openSandbox({
    log,
    engine: () => {
      calls += 1;
      throw new RangeError(`broken ${calls}`);
    },
  });
  const answer = await complete(sandbox, 'hello');
  expect(answer.status).toBe(500);
  expect(jsonOf(answer)).toMatchObject({ error: { name: 'server_error' } });
  expect((await complete(sandbox, '[sandbox echo] hello')).status).toBe(200);
  expect(await entries(2)).toMatchObject([
    { status: 500, problem: 'RangeError: broken 1' },
    { status: 200 },
  ]);
});
