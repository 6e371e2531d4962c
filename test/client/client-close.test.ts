import { expect, test } from 'vitest';
import { chunk, delta, json, streamed, streamHead } from '../support/raw-replies.ts';
import { failureOf, prompt, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

const closed = { kind: 'unexpected', message: 'the client was closed' };

test('a request that waits for its response fails once when the client is closed', async () => {
  const { server, client, clock } = await serveClient([[]]);
  const running = runChat({ client, clock });
  await server.received(1);
  client.close();
  const run = await running;
  expect(failureOf(run)).toMatchObject(closed);
  expect(run.delays).toEqual([]);
  expect(server.connections()).toBe(1);
});

test('an answer that is cut by closing the client is incomplete, and says why', async () => {
  const { client } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  const read = async () => {
    for await (const event of client.chat(prompt)) {
      if (event.type === 'text-received') client.close();
    }
  };
  await expect(read()).rejects.toMatchObject({
    kind: 'incomplete',
    message: 'the answer is incomplete: the client was closed',
  });
});

test('closing the client ends the wait before a retry', async () => {
  const { server, client } = await serveClient([[json(500, {})], [streamed('Hello')]]);
  const read = async () => {
    for await (const event of client.chat(prompt)) {
      if (event.type === 'retry-scheduled') client.close();
    }
  };
  await expect(read()).rejects.toThrow(/^the client was closed; the last attempt failed: /);
  expect(server.requests).toHaveLength(1);
});

test('a closed client sends nothing', async () => {
  const { server, client, clock } = await serveClient([[streamed('Hello')]]);
  client.close();
  expect(failureOf(await runChat({ client, clock }))).toMatchObject(closed);
  await expect(client.listModels()).rejects.toMatchObject(closed);
  expect(server.connections()).toBe(0);
});
