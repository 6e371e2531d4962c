import { expect, test } from 'vitest';
import { certificateFinding, proxyFinding } from '../../../src/commands/doctor/check-service.ts';
import { createRoute } from '../../../src/client/http/route.ts';

const service = new URL('https://api.example.com');

test.each([
  [{}, 'ok', 'requests use no proxy: no proxy variable is set'],
  [
    { HTTPS_PROXY: 'http://alice:s3cret-pass@proxy.corp:3128/' },
    'note',
    'requests use the proxy http://proxy.corp:3128 of HTTPS_PROXY, with a user name and password',
  ],
  [
    { https_proxy: 'proxy.corp:3128' },
    'note',
    'requests use the proxy http://proxy.corp:3128 of https_proxy',
  ],
  [
    { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.example.com' },
    'ok',
    'requests use no proxy: the proxy variables do not apply to this host',
  ],
])('with %j the proxy is reported: %s', (environment, outcome, text) => {
  expect(proxyFinding(service, environment)).toMatchObject({ check: 'proxy', outcome, text });
});

test('a loopback address never uses a proxy', () => {
  const { text } = proxyFinding(new URL('http://127.0.0.1'), { HTTP_PROXY: 'http://p:1' });
  expect(text).toBe('requests use no proxy: loopback addresses never use one');
});

const now = Date.parse('2026-11-22T12:00:00Z');

const chain = [
  { subject: 'api.example.com', issuer: 'Example CA', validTo: new Date('2027-01-01') },
  { subject: 'Example CA', issuer: 'Example Root', validTo: new Date('2030-01-01') },
];
const route = createRoute(service, {});
const trusted = { protocol: 'TLSv1.3', chain, problem: undefined };

test('a trusted certificate is named with its issuer and its days', () => {
  expect(certificateFinding(trusted, route, {}, now)).toMatchObject({
    check: 'certificate',
    outcome: 'ok',
    text: 'the certificate of api.example.com, signed by Example CA, is trusted, valid for 39 days (TLSv1.3)',
  });
});

test('a certificate that ends within two weeks is a warning', () => {
  const soon = { ...trusted, chain: [{ ...chain[0]!, validTo: new Date('2026-12-01') }] };
  expect(certificateFinding(soon, route, {}, now)).toMatchObject({
    outcome: 'warning',
    advice: 'the service needs a new certificate soon',
  });
});

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS to the certificate file of its authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its operator must send the complete chain'],
  ['CERT_HAS_EXPIRED', "check this machine's clock"],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS to its file'],
])('%s fails with the chain and what to do', (problem, advice) => {
  const finding = certificateFinding({ ...trusted, problem }, route, {}, now);
  expect(finding).toMatchObject({ outcome: 'failed', kind: 'unreachable' });
  expect(finding.text).toContain('api.example.com < Example CA < Example Root');
  expect(finding.advice).toContain(advice);
});

test('a bad certificate that natter does not verify is a warning', () => {
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const finding = certificateFinding(
    { ...trusted, problem: 'CERT_HAS_EXPIRED' },
    route,
    environment,
    now,
  );
  expect(finding.outcome).toBe('warning');
  expect(finding).not.toHaveProperty('kind');
});
