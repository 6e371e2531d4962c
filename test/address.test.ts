import { expect, test } from 'vitest';
import { parseBaseUrl } from '../src/client/http/base-url.ts';
import { completeAddress, isLoopback, isLoopbackName } from '../src/address.ts';
import { address } from '../src/settings/definitions.ts';

test.each([
  ['127.0.0.1:4100', 'http://127.0.0.1:4100'],
  ['localhost:11434', 'http://localhost:11434'],
  ['LOCALHOST', 'http://LOCALHOST'],
  ['[::1]:8080/v1', 'http://[::1]:8080/v1'],
  ['127.1.2.3/openai', 'http://127.1.2.3/openai'],
])('Y11: http:// is optional in the address %s of this machine', (text, completed) => {
  expect(completeAddress(text)).toBe(completed);
  expect(address.parse(` ${text} `)).toBe(completed);
  expect(parseBaseUrl(text).href).toBe(parseBaseUrl(completed).href);
});

const others = [
  'api.example.com',
  'localhost.example.com:80',
  'localhost@example.com',
  '10.0.0.1:80',
];
test.each([...others, '127.0.0.1.example.com', 'sk-key', 'https://localhost'])(
  'does not change other addresses: %s',
  (text) => {
    expect(completeAddress(text)).toBe(text);
  },
);

const local = ['localhost', '127.0.0.1', '127.255.255.254', '::1'];
test.each([...local, 'LOCALHOST', 'localhost.', 'app.localhost', '[::1]'])(
  '%s is this machine for a client; for a server only in its plain form',
  (host) => {
    expect(isLoopbackName(host)).toBe(true);
    expect(isLoopback(host)).toBe(local.includes(host));
  },
);

const remote = ['localhost.example.com', 'notlocalhost', '127.0.0.1.example.com', '127.0.0.256'];
test.each([...remote, '127.1', '128.0.0.1', '0.0.0.0', '::', ''])(
  '%j is not this machine',
  (host) => {
    expect(isLoopback(host)).toBe(false);
    expect(isLoopbackName(host)).toBe(false);
  },
);
