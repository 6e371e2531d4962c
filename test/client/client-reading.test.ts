import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { chunk, delta, done, lastChunk, streamed, streamHead } from '../support/raw-replies.ts';
import { fin } from '../support/raw-server.ts';
import { beginChat, failureOf, prompt, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

test('the time that a reader takes does not count as silence of the service', async () => {
  const { client, clock } = await serveClient(
    [[streamHead(), chunk(delta('a')), 20, chunk(done), lastChunk]],
    {
      idleTimeout: 3000,
    },
  );
  const iterator = await beginChat(client, 3);
  await clock.advance(60_000);
  expect((await iterator.next()).value).toMatchObject({ type: 'answer-finished' });
});

test.each(['answer-started', 'text-received'])(
  'closes the connection when the reader stops at %s',
  async (last) => {
    const { server, client, clock } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
    for await (const { type } of client.chat(prompt)) if (type === last) break;
    await clock.advance(50);
    await server.idle();
    expect(server.open()).toBe(0);
  },
);

test('an abort during the answer throws the reason and closes the connection', async () => {
  const { server, client } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  const stop = new AbortController();
  const iterator = await beginChat(client, 3, { signal: stop.signal });
  const next = iterator.next();
  const reason = new Error('interrupted');
  stop.abort(reason);
  await expect(next).rejects.toBe(reason);
  await server.idle();
});

test('yields nothing that was read before an abort after it', async () => {
  const { client } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  const stop = new AbortController();
  const iterator = await beginChat(client, 2, { signal: stop.signal });
  const reason = new Error('interrupted');
  stop.abort(reason);
  await expect(iterator.next()).rejects.toBe(reason);
});

test('a slow reader slows the network', async () => {
  const piece = chunk(delta('x'.repeat(64 * 1024)));
  let sent = 0;
  const pieces = Array.from({ length: 1000 }, () => [piece, () => (sent += 1)]).flat();
  const { client } = await serveClient([[streamHead(), ...pieces]]);
  const iterator = await beginChat(client, 2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(sent).toBeLessThan(500);
  await iterator.return?.();
});

test.each([
  ['plain', {}, Buffer.from(delta('Hel'))],
  ['compressed', { 'content-encoding': 'gzip' }, gzipSync(delta('Hel'))],
])('R21 keeps %s text before a cut although its reader is late', async (_name, headers, body) => {
  const reply = Buffer.concat([streamHead(headers), chunk(body)]);
  const { server, client } = await serveClient([[reply, fin]]);
  const events = client.chat(prompt)[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: 'answer-started' });
  await server.idle();
  expect((await events.next()).value).toEqual({ type: 'answer-named', id: 'chatcmpl-1' });
  expect((await events.next()).value).toMatchObject({ type: 'text-received', text: 'Hel' });
  await expect(events.next()).rejects.toMatchObject({ kind: 'incomplete' });
  expect(server.requests).toHaveLength(1);
});

test('an answer with stray bytes after it is complete', async () => {
  const setting = await serveClient([[Buffer.concat([streamed('Hello'), Buffer.from('stray')])]]);
  const run = await runChat(setting);
  expect(run.error).toBeUndefined();
  expect(run.text).toBe('Hello');
});

test('keeps text in the same read as a malformed chunk', async () => {
  const broken = [streamHead(), chunk(delta('Hello')), Buffer.from('zz\r\nnot a chunk')];
  const run = await runChat(await serveClient([[Buffer.concat(broken)]]));
  expect(run.text).toBe('Hello');
  expect(failureOf(run).kind).toBe('incomplete');
});
