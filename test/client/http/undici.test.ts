import { expect, onTestFinished, test } from 'vitest';
import { undiciNetwork } from '../../../src/client/http/undici/undici-network.ts';
import { ReceivedBody } from '../../../src/client/http/undici/received-body.ts';
import { chunk, delta, streamed, streamHead } from '../../support/raw-replies.ts';
import { createTestClient, failureOf, prompt, runChat } from '../../support/run-chat.ts';
import { serve } from '../../support/serve.ts';

function clientOf(baseUrl: string, headers: Readonly<Record<string, string>> = {}) {
  const set = createTestClient(baseUrl, { headers, network: undiciNetwork, retries: 0 });
  onTestFinished(() => set.client.close());
  return set;
}

test.each(['transfer-encoding', 'expect', 'upgrade'])(
  'a header %s, which undici refuses, is a failure that names it',
  async (name) => {
    const server = await serve([[streamed('Hello')]]);
    const failure = failureOf(await runChat(clientOf(server.url, { [name]: '100-continue' })));
    expect(failure).toMatchObject({ kind: 'configuration', attempts: 1 });
    expect(failure.message).toContain(name);
    expect(server.requests).toHaveLength(0);
  },
);

test('a cancelled answer closes its connection and opens no other', async () => {
  const server = await serve([[streamHead(), chunk(delta('Hel'))]]);
  const { client } = clientOf(server.url);
  const stop = new AbortController();
  const events = client.chat(prompt, { signal: stop.signal })[Symbol.asyncIterator]();
  await events.next();
  const reason = new Error('interrupted');
  stop.abort(reason);
  await expect(
    (async () => {
      for (;;) if ((await events.next()).done === true) return;
    })(),
  ).rejects.toBe(reason);
  await server.idle();
  expect(server.connections()).toBe(1);
});

test('closing the client ends a connection that is being opened', async () => {
  const silent = await serve([[]]);
  const set = clientOf(silent.url.replace('http:', 'https:'));
  const answer = runChat(set);
  await silent.connected(1);
  set.client.close();
  expect(failureOf(await answer).kind).toBe('unreachable');
  await silent.idle();
});

test('a body pauses the network at 64 kB, and resumes it when they are read', async () => {
  const calls: string[] = [];
  const body = new ReceivedBody({
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    finish: (isWhole) => calls.push(`finish ${isWhole}`),
  });
  body.push(new Uint8Array(65_535));
  expect(calls).toEqual([]);
  body.push(new Uint8Array(1));
  expect(calls).toEqual(['pause']);
  expect((await body.next()).value).toHaveLength(65_536);
  expect(calls).toEqual(['pause', 'resume']);
  body.end();
  expect((await body.next()).done).toBe(true);
  expect(calls).toEqual(['pause', 'resume', 'finish true']);
});

test('chunks that arrive in one read of the socket are one step of a body', async () => {
  const body = new ReceivedBody({ pause() {}, resume() {}, finish() {} });
  const first = body.next();
  body.push(Uint8Array.of(1));
  body.push(Uint8Array.of(2, 3));
  body.end();
  expect([...((await first).value ?? [])]).toEqual([1, 2, 3]);
  expect((await body.next()).done).toBe(true);
});

test('a body that is cut delivers what was received, then the error once', async () => {
  const body = new ReceivedBody({ pause() {}, resume() {}, finish() {} });
  const cut = new Error('cut');
  const first = body.next();
  body.push(Uint8Array.of(1));
  expect((await first).value).toEqual(Uint8Array.of(1));
  body.push(Uint8Array.of(2));
  body.cut(cut);
  expect((await body.next()).value).toEqual(Uint8Array.of(2));
  await expect(body.next()).rejects.toBe(cut);
  expect((await body.next()).done).toBe(true);
});

test('a body that has arrived whole is taken at once, and only once', async () => {
  const calls: string[] = [];
  const body = new ReceivedBody({
    pause() {},
    resume() {},
    finish: (isWhole) => calls.push(`finish ${isWhole}`),
  });
  body.push(Uint8Array.of(1));
  expect(body.takeWhole()).toBeUndefined();
  body.push(Uint8Array.of(2, 3));
  body.end();
  expect([...(body.takeWhole() ?? [])]).toEqual([1, 2, 3]);
  expect(calls).toEqual(['finish true']);
  expect(body.takeWhole()).toBeUndefined();
  expect((await body.next()).done).toBe(true);
});

test('a body is not taken whole after a part was read, or after it was cut or discarded', async () => {
  const open = () => new ReceivedBody({ pause() {}, resume() {}, finish() {} });
  const [read, cut, discarded] = [open(), open(), open()];
  read.push(Uint8Array.of(1));
  await read.next();
  read.push(Uint8Array.of(2));
  read.end();
  cut.push(Uint8Array.of(1));
  cut.cut(new Error('cut'));
  discarded.push(Uint8Array.of(1));
  discarded.end();
  discarded.discard(new Error('stopped'));
  expect([read, cut, discarded].map((body) => body.takeWhole())).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  await expect(discarded.next()).rejects.toThrow('stopped');
});
