import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { systemClock } from '../../src/clock.ts';
import { ask, openSandbox, openSocket, rawRequest, readSocket } from './sandbox-helpers.ts';

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

describe('a long answer', () => {
  test('is produced only as fast as it is read', async () => {
    const lines: string[] = [];
    const sandbox = await openSandbox({ log: (line) => lines.push(line) });
    const socket = await openSocket(sandbox, rawRequest('[sandbox million]'));
    await once(socket, 'readable');
    await new Promise((resolve) => {
      setTimeout(resolve, 700);
    });
    socket.destroy();
    await expect.poll(() => lines.length).toBe(1);
    // The buffers of the system have some tens of thousands of events.
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ended: 'client closed' });
    expect(Number(/"events":(\d+)/.exec(lines[0] ?? '')?.[1])).toBeLessThan(150_000);
  });

  test('of 200,000 tokens is whole', async () => {
    const sandbox = await openSandbox();
    const socket = await openSocket(sandbox, rawRequest('[sandbox tokens=200000]'));
    let tail = '';
    for await (const data of socket) {
      tail = (tail + String(data)).slice(-400);
      if (tail.includes('[DONE]')) break;
    }
    const usage = /"usage":(\{[^}]*\})/.exec(tail)?.[1] ?? '{}';
    expect(JSON.parse(usage)).toMatchObject({ completion_tokens: 200_000 });
  });
});
