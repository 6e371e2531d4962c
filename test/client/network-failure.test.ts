import { expect, onTestFinished, test } from 'vitest';
import { networkFailure } from '../../src/client/network-failure.ts';
import { createRoute } from '../../src/client/route.ts';
import { createTestClient, failureOf, runChat } from '../support/run-chat.ts';
import { serve } from '../support/serve.ts';

const route = createRoute(new URL('https://service.test'), {});

function coded(code: string): Error {
  return Object.assign(new Error('from the network'), { code });
}

test.each([
  ['ECONNREFUSED', false, 'the connection was refused'],
  ['ENOTFOUND', false, 'no such host is known'],
  ['ENETUNREACH', false, 'no way leads to the network'],
  ['EHOSTUNREACH', false, 'no way leads to the host'],
  ['EAI_AGAIN', true, 'the name service does not answer'],
  ['ETIMEDOUT', true, 'the connection timed out'],
  ['ECONNRESET', true, 'the connection was closed'],
  ['EWHATEVER', true, 'EWHATEVER'],
])('R17 %s while connecting: asking again helps: %s', (code, transient, problem) => {
  expect(networkFailure(coded(code), 'connecting', route)).toMatchObject({
    kind: 'unreachable',
    transient,
    message: `cannot reach service.test:443: ${problem}`,
  });
});

test.each([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('R30 %s is final and points to NODE_EXTRA_CA_CERTS', (code) => {
  const failure = networkFailure(coded(code), 'connecting', route);
  expect(failure).toMatchObject({ kind: 'unreachable', transient: false });
  expect(failure.message).toContain(code);
  expect(failure.hint).toContain('NODE_EXTRA_CA_CERTS');
});

test('R30 a TLS version that nobody shares is final', () => {
  const failure = networkFailure(coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'connecting', route);
  expect(failure).toMatchObject({ kind: 'unreachable', transient: false });
  expect(failure.hint).toContain('whether it should begin with http://');
});

test.each([
  ['waiting', 'service.test:443 closed the connection before it answered'],
  ['answering', 'service.test:443 closed the connection before the answer ended'],
] as const)('R18 R22 a cut while %s is worth another try', (stage, message) => {
  expect(networkFailure(coded('ECONNRESET'), stage, route)).toMatchObject({
    message,
    transient: true,
  });
});

test('a cut of plain http before any answer asks whether TLS is expected', () => {
  const plain = createRoute(new URL('http://service.test'), {});
  const hintOf = (stage: 'waiting' | 'answering', from = plain) =>
    networkFailure(coded('ECONNRESET'), stage, from).hint;
  expect(hintOf('waiting')).toContain('whether the base URL needs https://');
  expect([hintOf('answering'), hintOf('waiting', route)]).toEqual([undefined, undefined]);
});

test('R17 a connection that is not made in time is tried again, up to the limit', async () => {
  const server = await serve([]);
  // The TLS handshake belongs to connecting, and this server never answers it.
  const { client, clock } = createTestClient(server.url.replace('http:', 'https:'), { retries: 1 });
  onTestFinished(() => client.close());
  const running = runChat({ client, clock });
  await server.connected(1);
  await clock.advance(10_000);
  await server.connected(2);
  await clock.advance(10_000);
  const failure = failureOf(await running);
  expect(failure).toMatchObject({ kind: 'unreachable', attempts: 2 });
  expect(failure.message).toContain('no connection within 10 seconds');
});
