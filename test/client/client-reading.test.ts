import { expect, test } from 'vitest';
import { chunk, delta, done, lastChunk, streamHead } from '../support/raw-replies.ts';
import { prompt } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

test('the time that a reader takes is not silence of the service', async () => {
  const { client, clock } = await serveClient(
    [[streamHead(), chunk(delta('a')), 20, chunk(done), lastChunk]],
    {
      idleTimeout: 3000,
    },
  );
  const iterator = client.chat(prompt)[Symbol.asyncIterator]();
  for (let index = 0; index < 3; index += 1) await iterator.next();
  await clock.advance(60_000);
  expect((await iterator.next()).value).toMatchObject({ type: 'answer-finished' });
});

test('an answer that is read no further closes its connection', async () => {
  const { server, client, clock } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  for await (const happening of client.chat(prompt)) {
    if (happening.type === 'text-received') break;
  }
  await clock.advance(50);
  await server.idle();
  expect(server.open()).toBe(0);
});

test('an answer of which only the start is read closes its connection', async () => {
  const { server, client } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  for await (const happening of client.chat(prompt)) if (happening.type === 'answer-started') break;
  await server.idle();
  expect(server.open()).toBe(0);
});

test('aborting in the answer throws the reason and closes the connection', async () => {
  const { server, client } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  const stop = new AbortController();
  const iterator = client.chat(prompt, { signal: stop.signal })[Symbol.asyncIterator]();
  for (let index = 0; index < 3; index += 1) await iterator.next();
  const next = iterator.next();
  const reason = new Error('interrupted');
  stop.abort(reason);
  await expect(next).rejects.toBe(reason);
  await server.idle();
});

test('a reader who waits keeps the rest of a long answer in the network', async () => {
  const piece = chunk(delta('x'.repeat(64 * 1024)));
  let sent = 0;
  const pieces = Array.from({ length: 1000 }, () => [piece, () => (sent += 1)]).flat();
  const { client } = await serveClient([[streamHead(), ...pieces]]);
  const iterator = client.chat(prompt)[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.next();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(sent).toBeLessThan(500);
  await iterator.return?.();
});
