import { expect, test } from 'vitest';
import type { HttpRequest, Transport } from '../../src/client/http/transport.ts';
import { streamed } from '../support/raw-replies.ts';
import { createTestClient, runChat, testKey } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

test('a transport sees every request and response', async () => {
  const seen: (HttpRequest | number)[] = [];
  const transport = (network: Transport): Transport => {
    return async (request, signal) => {
      seen.push(request);
      const response = await network(request, signal);
      seen.push(response.status);
      return response;
    };
  };
  const { client, clock } = await serveClient([[streamed('Hi')]], { transport });
  expect((await runChat({ client, clock })).text).toBe('Hi');
  expect(seen).toEqual([
    expect.objectContaining({
      method: 'POST',
      headers: expect.objectContaining({ authorization: `Bearer ${testKey}` }),
    }),
    200,
  ]);
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

test('a transport may keep listeners on the signal, which is new for each prompt', async () => {
  const signals = new Set<AbortSignal>();
  const transport =
    (network: Transport): Transport =>
    (request, signal) => {
      signals.add(signal);
      return network(request, signal);
    };
  const set = await serveClient([[streamed('Hi')], [streamed('Hi')]], { transport });
  await runChat(set);
  await runChat(set);
  expect(signals.size).toBe(2);
});
