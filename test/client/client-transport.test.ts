import { expect, test } from 'vitest';
import type { Transport } from '../../src/client/http/transport.ts';
import { chunk, delta, json, streamHead, streamed } from '../support/raw-replies.ts';
import { createTestClient, failureOf, prompt, runChat, testKey } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

test('a transport sees every request and response, with a new signal for each prompt', async () => {
  const seen: unknown[] = [];
  const signals = new Set<AbortSignal>();
  const transport =
    (network: Transport): Transport =>
    async (request, signal) => {
      signals.add(signal);
      const response = await network(request, signal);
      seen.push(request.method, request.headers['authorization'], response.status);
      return response;
    };
  const set = await serveClient([[streamed('Hi')]], { transport });
  expect((await runChat(set)).text).toBe('Hi');
  expect(seen).toEqual(['POST', `Bearer ${testKey}`, 200]);
  await runChat(set);
  expect(signals.size).toBe(2);
});

test('a transport can respond in place of the network', async () => {
  const transport = (): Transport => async () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield Buffer.from('{"data":[{"id":"origin"}]}');
    })(),
    destroy: () => undefined,
  });
  const { client } = createTestClient('http://127.0.0.1:1', { transport });
  expect(await client.listModels()).toMatchObject([{ id: 'origin' }]);
});

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

async function closeAt(type: string, { client }: Awaited<ReturnType<typeof serveClient>>) {
  for await (const event of client.chat(prompt)) if (event.type === type) client.close();
}

test('an answer that is cut by closing the client is incomplete, and says why', async () => {
  const set = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  await expect(closeAt('text-received', set)).rejects.toMatchObject({
    kind: 'incomplete',
    message: 'the answer is incomplete: the client was closed',
  });
});

test('closing the client ends the wait before a retry', async () => {
  const set = await serveClient([[json(500, {})], [streamed('Hello')]]);
  const problem = /^the client was closed; the last attempt failed: /;
  await expect(closeAt('retry-scheduled', set)).rejects.toThrow(problem);
  expect(set.server.requests).toHaveLength(1);
});

test('a closed client sends nothing', async () => {
  const { server, client, clock } = await serveClient([[streamed('Hello')]]);
  client.close();
  expect(failureOf(await runChat({ client, clock }))).toMatchObject(closed);
  await expect(client.listModels()).rejects.toMatchObject(closed);
  expect(server.connections()).toBe(0);
});
