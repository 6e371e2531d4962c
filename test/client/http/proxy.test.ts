import { expect, test } from 'vitest';
import { proxyFor, proxyHeaders } from '../../../src/client/http/route.ts';
import { Failure } from '../../../src/failure.ts';

const proxies = { http_proxy: 'http://plain.proxy:8080', https_proxy: 'http://secure.proxy:8443' };

function host(url: string, environment: Record<string, string>): string | undefined {
  return proxyFor(new URL(url), environment)?.url.host;
}

test.each([
  ['http://service.test', { ...proxies }, 'plain.proxy:8080'],
  ['https://service.test', { ...proxies }, 'secure.proxy:8443'],
  ['https://service.test', { HTTP_PROXY: 'http://plain.proxy:8080' }, undefined],
  ['https://service.test', { ALL_PROXY: 'http://any.proxy:1' }, 'any.proxy:1'],
  ['https://service.test', { ...proxies, ALL_PROXY: 'http://any.proxy:1' }, 'secure.proxy:8443'],
  ['http://service.test', { http_proxy: 'http://low:1', HTTP_PROXY: 'http://up:1' }, 'low:1'],
  ['http://service.test', { http_proxy: '', HTTP_PROXY: 'http://up:1' }, 'up:1'],
  ['http://service.test', { http_proxy: 'bare.proxy:3128' }, 'bare.proxy:3128'],
  ['http://service.test', {}, undefined],
])('K17 the proxy for %s with %o is %s', (url, environment, expected) => {
  expect(host(url, environment)).toBe(expected);
});

test.each([
  'http://localhost:8080',
  'http://api.localhost',
  'http://127.0.0.1:1',
  'http://127.9.9.9',
  'http://[::1]:8080',
  'https://localhost.',
])('K16 connects to %s directly', (url) => {
  expect(host(url, proxies)).toBeUndefined();
});

// Based on the cases of undici's EnvHttpProxyAgent: the addresses to which a NO_PROXY applies, and others.
test.each<[list: string, direct: readonly string[], proxied: readonly string[]]>([
  ['*', ['https://example.test'], []],
  ['', [], ['http://example']],
  [',\t,,,\n,  ,\r', [], ['http://example']],
  ['example', ['http://example', 'http://a.b.example:1337'], ['http://prefexample', 'http://e.no']],
  ['sub.example', ['http://no.sub.example'], ['http://example', 'http://sub-example']],
  ['example:80, other:3000', ['http://example', 'http://sub.example:80'], ['http://example:1337']],
  ['.example', ['http://example', 'http://sub.example:1337'], ['http://prefexample']],
  ['*.example', ['http://example', 'http://a.b.example'], ['http://prefexample']],
  ['*example', [], ['http://example']],
  ['.*example', [], ['http://sub.example']],
  ['[2001:db8::2]:80', ['http://[2001:db8::2]'], ['http://[2001:db8::2]:1337']],
  ['2001:db8::1', ['http://[2001:db8::1]:80'], ['http://[2001:db8::2]']],
  ['10.0.0.1,10.0.0.2:80', ['http://10.0.0.1:1337', 'http://10.0.0.2'], ['http://10.0.0.2:1337']],
  ['10.0.0.0/8', [], ['http://10.0.0.1']],
  ['xxx:443', ['https://xxx'], ['https://xxx:1337']],
  ['XXX YYY ZzZ', ['http://zZz'], []],
  ['example.test.', ['http://example.test'], []],
  ['example.test', ['http://example.test.'], []],
])('K17 NO_PROXY "%s" applies to %j, not to %j', (list, direct, proxied) => {
  const environment = { ...proxies, NO_PROXY: list };
  expect(direct.map((url) => host(url, environment))).toEqual(direct.map(() => undefined));
  expect(proxied.map((url) => host(url, environment))).not.toContain(undefined);
});

test('K17 lower-case no_proxy takes precedence', () => {
  const environment = { ...proxies, no_proxy: 'one.test', NO_PROXY: 'two.test' };
  expect(host('http://one.test', environment)).toBeUndefined();
  expect(host('http://two.test', environment)).toBe('plain.proxy:8080');
});

test.each([
  ['http://user:secret@bad host:1', 'is not a URL'],
  ['socks5://user:secret@proxy.test:1080', 'is neither http nor https'],
])('K18 refuses the proxy %s without showing its password', (value, problem) => {
  const choose = () => proxyFor(new URL('https://service.test'), { HTTPS_PROXY: value });
  expect(choose).toThrow(Failure);
  expect(choose).toThrow(problem);
  expect(choose).toThrow(/in HTTPS_PROXY/);
  expect(choose).not.toThrow(/secret/);
});

test('K18 a percent sign in the password of a proxy may stand for itself', () => {
  const basic = (login: string) => ({
    'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}`,
  });
  expect(proxyHeaders(new URL('http://user:100%@proxy'))).toEqual(basic('user:100%'));
  expect(proxyHeaders(new URL('http://user:a%20b@proxy'))).toEqual(basic('user:a b'));
});
