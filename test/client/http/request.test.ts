import { expect, test } from 'vitest';
import { endpointUrl, hostAndPort, parseBaseUrl } from '../../../src/client/http/base-url.ts';
import { Failure } from '../../../src/failure.ts';
import { requestHeaders, requireEncryption } from '../../../src/client/configuration.ts';
import { retryAfter } from '../../../src/client/failure/service-failure.ts';
import { proxyFor, proxyHeaders } from '../../../src/client/http/route.ts';

test.each([
  ['https://api.test', 'https://api.test/v1/models'],
  ['https://api.test/', 'https://api.test/v1/models'],
  ['https://api.test/v1', 'https://api.test/v1/models'],
  ['https://api.test/v1/', 'https://api.test/v1/models'],
  ['https://api.test//', 'https://api.test/v1/models'],
  ['https://api.test/openai', 'https://api.test/openai/models'],
  ['https://gemini.test/v1beta/openai/', 'https://gemini.test/v1beta/openai/models'],
  ['https://github.test/inference', 'https://github.test/inference/models'],
  ['https://zhipu.test/api/paas/v4', 'https://zhipu.test/api/paas/v4/models'],
  ['https://volcano.test/api/v3', 'https://volcano.test/api/v3/models'],
  ['https://api.test/custom/chat/completions', 'https://api.test/custom/models'],
  [
    'https://azure.test/openai/deployments/gpt?api-version=2024-10-21',
    'https://azure.test/openai/deployments/gpt/models?api-version=2024-10-21',
  ],
  [
    'https://azure.test/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    'https://azure.test/openai/deployments/gpt/models?api-version=2024-10-21',
  ],
  ['https://api.test/openai/v1/', 'https://api.test/openai/v1/models'],
  ['https://api.test/v1/chat/completions', 'https://api.test/v1/models'],
  ['https://api.test/openai/v1/models/', 'https://api.test/openai/v1/models'],
  ['https://api.test/dev1', 'https://api.test/dev1/v1/models'],
  [' http://127.0.0.1:8080 ', 'http://127.0.0.1:8080/v1/models'],
  ['http://[::1]:8080/v1?x=1#y', 'http://[::1]:8080/v1/models'],
])('N3 requests the models of %s at %s', (text, expected) => {
  expect(endpointUrl(parseBaseUrl(text), 'models').href).toBe(expected);
});

test.each([
  ['https://api.test', '/', 'https://api.test/models'],
  ['https://api.test/', '/v3', 'https://api.test/v3/models'],
  ['https://api.test/gateway', '/api/v3/', 'https://api.test/gateway/api/v3/models'],
])('N3 requests the models of %s with the API path %s at %s', (text, apiPath, expected) => {
  expect(endpointUrl(parseBaseUrl(text, apiPath), 'models').href).toBe(expected);
});

test.each([
  ['', 'is not a URL'],
  ['api.test', 'is not a URL'],
  ['https://', 'is not a URL'],
  ['ftp://api.test', 'is neither https nor http'],
])('refuses "%s": it %s', (text, problem) => {
  expect(() => parseBaseUrl(text)).toThrow(problem);
});

test.each([
  'https://user:secret@api.test',
  'https://user:secret@api.test:x',
  'user:secret@api.test',
])('K15 refuses %s without showing its password', (text) => {
  expect(() => parseBaseUrl(text)).toThrow(Failure);
  expect(() => parseBaseUrl(text)).not.toThrow(/secret/);
});

test.each([
  ['https://api.test', 'api.test:443'],
  ['http://api.test', 'api.test:80'],
  ['http://[::1]:8080', '[::1]:8080'],
])('names host and port of %s: %s', (url, expected) => {
  expect(hostAndPort(new URL(url))).toBe(expected);
});

const service = { baseUrl: 'https://api.test', userAgent: 'natter' };

test.each([
  ['a newline', 'topsecret\nX-Evil: 1'],
  ['a carriage return', 'topsecret\rx'],
  ['a letter outside Latin-1', 'topsecretключ'],
  ['a letter of Latin-1', 'topsecreté'],
  ['a space inside', 'topsecret x'],
  ['a control character', 'topsecret\u0000x'],
  ['no characters', ''],
  ['only spaces', '  '],
])('K10 refuses a key with %s and does not show it', (_name, key) => {
  const build = () => requestHeaders({ ...service, apiKey: key });
  expect(build).toThrow(Failure);
  expect(build).not.toThrow(/topsecret/);
});

test('K10 names the invalid character and its position', () => {
  expect(() => requestHeaders({ ...service, apiKey: 'ab–cd' })).toThrow('U+2013 at position 3');
});

test('K11 removes white space around the key', () => {
  const headers = requestHeaders({ ...service, apiKey: ' \tkey-1\n' });
  expect(headers['authorization']).toBe('Bearer key-1');
});

test.each([
  ['key-1', { 'api-key': 'key-1' }],
  ['eyJhbGciOi.eyJhdWQ.x', { authorization: 'Bearer eyJhbGciOi.eyJhdWQ.x' }],
])('sends %s to an address with an api-version as %j', (apiKey, expected) => {
  const baseUrl = 'https://azure.test/openai/deployments/gpt?api-version=2024-10-21';
  const usual = { 'user-agent': 'natter', 'accept-encoding': 'identity' };
  const sent = requestHeaders({ ...service, baseUrl, apiKey });
  expect(sent).toEqual({ ...usual, ...expected });
});

test('sends no Authorization without a key', () => {
  expect(requestHeaders(service)).not.toHaveProperty('authorization');
});

test("replaces a header by the user's header of the same name", () => {
  const headers = { 'User-Agent': 'mine', 'X-Team': 'a' };
  expect(requestHeaders({ ...service, headers })).toMatchObject({
    'user-agent': 'mine',
    'x-team': 'a',
  });
});

test.each([
  ['x-a', 'topsecret\r\nx-b: 1'],
  ['x-a', 'topsecret→'],
  ['x a', 'topsecret'],
  ['', 'topsecret'],
])('refuses the invalid header "%s" without showing its value', (name, value) => {
  const build = () => requestHeaders({ ...service, headers: { [name]: value } });
  expect(build).toThrow(Failure);
  expect(build).not.toThrow(/topsecret/);
});

const withKey = { authorization: 'Bearer key-1' };

test.each([
  ['http://api.test', 'authorization', 'the key'],
  ['http://192.168.1.5:8080', 'authorization', 'the key'],
  ['http://localhost.test', 'authorization', 'the key'],
  ['http://[fe80::1]', 'authorization', 'the key'],
  ['http://api.test', 'x-api-key', 'the header x-api-key'],
  ['http://api.test', 'cookie', 'the header cookie'],
  ['http://api.test', 'x-team-token', 'the header x-team-token'],
])('K14 refuses to send to %s the header %s', (url, name, secret) => {
  const check = () => requireEncryption(new URL(url), { [name]: 'value' }, false);
  expect(check).toThrow(`${secret} would be sent unencrypted`);
});

test.each([
  ['over https', 'https://api.test', withKey, false],
  ['to localhost', 'http://localhost:8080', withKey, false],
  ['to a name under localhost', 'http://api.localhost', withKey, false],
  ['to 127.0.0.0/8', 'http://127.1.2.3', withKey, false],
  ['to ::1', 'http://[::1]:8080', withKey, false],
  ['when allowed', 'http://api.test', withKey, true],
  ['without a key', 'http://api.test', { 'x-team': 'blue' }, false],
])('K14 sends %s', (_name, url, headers, allowed) => {
  expect(() => requireEncryption(new URL(url), headers, allowed)).not.toThrow();
});

const now = new Date('2026-11-20T12:00:00Z');

test.each([
  ['R2 whole seconds', '1', 1000],
  ['R3 zero', '0', 0],
  ['R4 fractions', '0.1', 100],
  ['R5 an HTTP-date', 'Fri, 20 Nov 2026 12:00:03 GMT', 3000],
  ['R6 an RFC 850 date', 'Friday, 20-Nov-26 12:00:03 GMT', 3000],
  ['R6 an asctime date', 'Fri Nov 20 12:00:03 2026', 3000],
  ['R6 an asctime date with a padded day', 'Tue Dec  1 12:00:00 2026', 11 * 86_400_000],
  ['R9 more than the limit', '120', 120_000],
  ['R9 far too much', '999999999999', 999_999_999_999_000],
  ['R9 more than a number can represent', '9'.repeat(400), Infinity],
  ['R9 infinity', 'Infinity', Infinity],
  ['surrounding spaces', ' 2 ', 2000],
  ['R7 a past date', 'Fri, 20 Nov 2026 11:59:59 GMT', undefined],
  ['R7 a two-digit year that means the past century', 'Sunday, 06-Nov-94 08:49:37 GMT', undefined],
  ['R7 a negative number', '-1', undefined],
  ['R8 nothing', '', undefined],
  ['R8 a word', 'soon', undefined],
  ['R8 NaN', 'NaN', undefined],
  ['R8 a hexadecimal number', '0x10', undefined],
  ['R8 a unit', '10s', undefined],
  ['R8 a duration', '1m30s', undefined],
  ['R8 a bare date', '2026-11-20', undefined],
  ['R8 an ISO date', '2026-11-20T12:00:03Z', undefined],
  ['R8 an exponent', '1e3', undefined],
  ['R8 an unknown month', 'Fri, 20 Foo 2026 12:00:03 GMT', undefined],
])('%s: reads "%s" as %s ms', (_name, text, expected) => {
  expect(retryAfter({ 'retry-after': text }, now)).toBe(expected);
});

test.each([
  ['R10 milliseconds take precedence', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  ['R10 even zero', { 'retry-after-ms': '0', 'retry-after': '9' }, 0],
  ['R10 but not when unreadable', { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
  ['R10 without a header there is no wait', {}, undefined],
])('%s', (_name, headers, expected) => {
  expect(retryAfter(headers, now)).toBe(expected);
});

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
