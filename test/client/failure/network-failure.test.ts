import { expect, test } from 'vitest';
import { networkFailure } from '../../../src/client/failure/network-failure.ts';
import { createRoute } from '../../../src/client/http/route.ts';
import { createTestClient, failureOf, runChat } from '../../support/run-chat.ts';
import { serve } from '../../support/serve.ts';

const route = createRoute(new URL('https://service.test'), {});

function coded(code: string): Error {
  return Object.assign(new Error('from the network'), { code });
}

test.each([
  ['ECONNREFUSED', false, 'the connection was refused'],
  ['ENOTFOUND', false, 'the host was not found'],
  ['ENETUNREACH', false, 'there is no route to the network'],
  ['EHOSTUNREACH', false, 'there is no route to the host'],
  ['EAI_AGAIN', true, 'the DNS lookup failed'],
  ['ETIMEDOUT', true, 'the connection timed out'],
  ['ECONNRESET', true, 'the connection was closed'],
  ['EWHATEVER', true, 'EWHATEVER'],
])('R17 %s while connecting: transient: %s', (code, transient, problem) => {
  expect(networkFailure(coded(code), 'connecting', route)).toMatchObject({
    kind: 'unreachable',
    transient,
    message: `cannot reach service.test:443: ${problem}`,
  });
});

test.each([
  ['http://localhost:8080', 'ECONNREFUSED', { code: 'start-server', port: '8080' }],
  ['http://[::1]', 'ECONNREFUSED', { code: 'start-server', port: '80' }],
  ['http://127.0.0.1:8080', 'ECONNRESET', { code: 'check-connection' }],
  ['http://service.test:8080', 'ECONNREFUSED', { code: 'check-connection' }],
])('a connection to %s that fails with %s has the remedy %j', (baseUrl, code, remedy) => {
  const failed = networkFailure(coded(code), 'connecting', createRoute(new URL(baseUrl), {}));
  expect(failed.remedy).toEqual(remedy);
});

test.each([
  ['CERT_HAS_EXPIRED', 'has expired', 'check-clock'],
  ['CERT_NOT_YET_VALID', 'is not valid yet', 'check-clock'],
  ['CERT_REVOKED', 'was revoked', 'replace-certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is self-signed', 'trust-certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'is signed by an authority', 'trust-authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'is signed by an authority', 'trust-authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'is signed by an authority', 'trust-authority'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for a different name, not for service.test', 'check-host'],
  ['CERT_CHAIN_TOO_LONG', 'is not trusted', 'trust-authority'],
])('Y2: R30 %s is final, with a message and a remedy', (code, problem, help) => {
  const failure = networkFailure(coded(code), 'connecting', route);
  expect(failure).toMatchObject({ kind: 'unreachable', transient: undefined });
  expect(failure.message).toMatch(/^the TLS certificate of service\.test:443 /);
  expect(failure.message).toContain(problem);
  expect(failure.message).toContain(code);
  expect(failure.remedy).toEqual({ code: help });
});

test('Y2: the message for a certificate with hundreds of names has a few of them', () => {
  const subjectaltname = Array.from({ length: 100 }, (_, index) => `DNS:${index}.test`).join(', ');
  const error = Object.assign(coded('ERR_TLS_CERT_ALTNAME_INVALID'), { cert: { subjectaltname } });
  expect(networkFailure(error, 'connecting', route).message).toContain(
    'is for 0.test, 1.test, 2.test, 3.test, 4.test and 95 more, not for service.test',
  );
});

test('R30 an unsupported TLS version is final', () => {
  const failure = networkFailure(coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'connecting', route);
  expect(failure).toMatchObject({ kind: 'unreachable', transient: undefined });
  expect(failure.remedy).toEqual({ code: 'check-scheme', scheme: 'http' });
});

test.each([
  ['waiting', 'service.test:443 closed the connection before the response'],
  ['answering', 'service.test:443 closed the connection before the answer ended'],
] as const)('R18 R22 a cut while %s is transient', (stage, message) => {
  expect(networkFailure(coded('ECONNRESET'), stage, route)).toMatchObject({
    message,
    transient: true,
  });
});

test('the remedy for a cut of plain http before the response is to check the scheme', () => {
  const plain = createRoute(new URL('http://service.test'), {});
  const remedyOf = (stage: 'waiting' | 'answering', from = plain) =>
    networkFailure(coded('ECONNRESET'), stage, from).remedy;
  expect(remedyOf('waiting')).toEqual({ code: 'check-scheme', scheme: 'https' });
  expect([remedyOf('answering'), remedyOf('waiting', route)]).toEqual([undefined, undefined]);
});

test('R17 a connection timeout is retried up to the limit', async () => {
  const server = await serve([]);
  // The TLS handshake belongs to connecting, and this server never answers it.
  const { client, clock } = createTestClient(server.url.replace('http:', 'https:'), { retries: 1 });
  const running = runChat({ client, clock });
  await server.connected(1);
  await clock.advance(10_000);
  await server.connected(2);
  await clock.advance(10_000);
  const failure = failureOf(await running);
  expect(failure).toMatchObject({ kind: 'unreachable', attempts: 2 });
  expect(failure.message).toContain('no connection within 10 seconds');
});
