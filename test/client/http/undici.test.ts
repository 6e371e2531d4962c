import { expect, test } from 'vitest';
import { undiciNetwork } from '../../../src/client/http/undici-network.ts';
import { streamed } from '../../support/raw-replies.ts';
import { createTestClient, failureOf, runChat } from '../../support/run-chat.ts';
import { serve } from '../../support/serve.ts';

const clientOf = (baseUrl: string, headers: Readonly<Record<string, string>> = {}) =>
  createTestClient(baseUrl, { headers, network: undiciNetwork, retries: 0 });

test.each([
  ['transfer-encoding', '100-continue'],
  ['expect', '100-continue'],
  ['upgrade', '100-continue'],
  ['content-length', '5'],
])('a header %s, which undici refuses, is a failure that names it', async (name, value) => {
  const server = await serve([[streamed('Hello')]]);
  const failure = failureOf(await runChat(clientOf(server.url, { [name]: value })));
  expect(failure).toMatchObject({ kind: 'configuration', attempts: 1 });
  expect(failure.message).toContain(name);
  expect(server.requests).toHaveLength(0);
});

test('closing the client ends a connection that is being opened', async () => {
  const silent = await serve([[]]);
  const set = clientOf(silent.url.replace('http:', 'https:'));
  const answer = runChat(set);
  await silent.connected(1);
  set.client.close();
  expect(failureOf(await answer).message).toBe('the client was closed');
  await silent.idle();
});
