import { expect, onTestFinished, test, vi } from 'vitest';
import { streamed } from '../support/raw-replies.ts';
import { fin } from '../support/raw-server.ts';
import { afterBody, createTestClient, failureOf, runChat } from '../support/run-chat.ts';
import { serve } from '../support/serve.ts';

test('R30 an untrusted certificate is not retried, and the remedy is named', async () => {
  const server = await serve([[streamed('Hello')]], { tls: true });
  const run = await runChat(createTestClient(server.url));
  const failure = failureOf(run);
  expect(run.delays).toEqual([]);
  expect(failure.kind).toBe('unreachable');
  expect(failure.message).toMatch(
    new RegExp(
      `^the TLS certificate of 127.0.0.1:${server.port} is signed by an authority unknown to this machine`,
    ),
  );
  expect(failure.remedy?.code).toMatch(/^trust-/);
  expect(server.requests).toHaveLength(0);
  expect(server.connections()).toBeLessThanOrEqual(1);
});

test('R30 https to a plain http port is not retried', async () => {
  const server = await serve([], { greeting: ['HTTP/1.1 400 Bad Request\r\n\r\n', fin] });
  const failure = failureOf(await runChat(createTestClient(server.url.replace('http:', 'https:'))));
  expect(failure).toMatchObject({ kind: 'unreachable', attempts: 1 });
});

test('receives answers over TLS, and reuses the connection', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await serve([[streamed('Hello')]], { tls: true });
  const set = createTestClient(server.url);
  expect(await runChat(set)).toMatchObject({ text: 'Hello', error: undefined });
  await afterBody();
  expect(await runChat(set)).toMatchObject({ text: 'Hello', error: undefined });
  expect(server.connections()).toBe(1);
});
