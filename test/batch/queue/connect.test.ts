import { describe, expect, test } from 'vitest';
import { checkServer, connectionFailure, queueAddress } from '../../../src/batch/queue/connect.ts';
import { cleanLine, createSecrets } from '../../../src/secrets/secrets.ts';

const password = 'p%40ss-word-1234';

function addressOf(option: string | undefined, variable?: string, secrets = createSecrets({})) {
  const environment = variable === undefined ? {} : { NATTER_QUEUE: variable };
  return queueAddress(option, { environment, secrets });
}

describe('the address of a queue', () => {
  test.each([
    ['redis://localhost', 'redis://localhost:6379/0', false],
    ['redis://10.0.0.1:7000/3', 'redis://10.0.0.1:7000/3', false],
    ['rediss://cache.test:6380/', 'rediss://cache.test:6380/0', true],
    ['redis://[::1]:6379', 'redis://[::1]:6379/0', false],
  ])('is read from %s', (url, label, isEncrypted) => {
    const address = { url, label, isEncrypted, hasPassword: false };
    expect(addressOf(url)).toEqual(address);
    expect(addressOf(undefined, url)).toEqual(address);
    expect(addressOf(url, 'redis://other')).toEqual(address);
  });

  test('may have a password in the variable, which messages do not show', () => {
    const secrets = createSecrets({});
    expect(addressOf(undefined, `redis://me:${password}@cache.test/1`, secrets)).toMatchObject({
      label: 'redis://cache.test:6379/1',
      hasPassword: true,
    });
    expect(cleanLine({ secrets }, 'p@ss-word-1234')).toBe('***');
  });

  test.each([`redis://:${password}@h`, `redis://me:${password}@h`, `x:${password}@h`])(
    'with a password in the option, %s, is refused, and not shown',
    (text) => {
      const secrets = createSecrets({});
      let message = '';
      try {
        addressOf(text, undefined, secrets);
      } catch (error) {
        message = `${String(error)} ${(error as { hint: string }).hint}`;
      }
      expect(message).toContain('NATTER_QUEUE');
      expect(message).not.toContain('ss-word');
      expect(cleanLine({ secrets }, `it is ${password}`)).toBe('it is ***');
    },
  );

  test.each(['http://x', 'localhost:6379', 'redis://', 'redis://h/x', 'redis://h/0?a=1', ''])(
    'is refused if it is "%s"',
    (text) => {
      expect(() => addressOf(text)).toThrow(expect.objectContaining({ kind: 'usage' }) as Error);
    },
  );

  test.each([
    [undefined, /^no queue is named/],
    ['nonsense', /^NATTER_QUEUE must be an address/],
    ['redis://me:50%off-today@h', /^NATTER_QUEUE must be an address such as (?!.*off-today)/],
  ])('is refused if the variable is %s', (text, message) => {
    expect(() => addressOf(undefined, text)).toThrow(message);
  });
});

const address = addressOf(undefined, 'redis://cache.test/2');
const secured = { ...address, hasPassword: true };
const encrypted = { ...address, isEncrypted: true };

test.each([
  ['NOAUTH Authentication required.', address, 'unauthorized', 'requires a password'],
  ['WRONGPASS invalid username-password pair', secured, 'unauthorized', 'refused the user name or'],
  ['ERR DB index is out of range', address, 'usage', 'has no database of this number'],
  ['Protocol error, got "H" as reply type byte', address, 'unreachable', 'does not speak the'],
  ['Unknown RESP type 72 "H"', address, 'unreachable', 'does not speak the protocol of Redis'],
  ['ERR strange', address, 'unreachable', 'cannot connect to the queue at redis://cache.test'],
])('a server that says %s is a failure', (text, where, kind, words) => {
  const failure = connectionFailure(where, new Error(text));
  expect([failure.kind, failure.message]).toEqual([kind, expect.stringContaining(words)]);
});

test.each([
  ['ECONNREFUSED', address, 'nothing is listening there'],
  ['ENOTFOUND', address, 'the host is unknown'],
  ['ECONNRESET', address, 'it is not Redis, or it expects rediss://'],
  ['ETIMEDOUT', encrypted, 'it does not respond'],
  ['SELF_SIGNED_CERT_IN_CHAIN', address, 'is not trusted'],
])('%s is one sentence', (code, where, words) => {
  const error = Object.assign(new Error('connect'), { code });
  const failure = connectionFailure(where, error);
  expect(failure).toMatchObject({ kind: 'unreachable', cause: error });
  expect(failure.message).toContain(words);
  expect(failure.hint?.includes('redis:// connects without TLS')).toBe(where.isEncrypted);
});

test.each([
  ['7.0.15', 'noeviction', []],
  ['7.0.15', 'allkeys-lru', [expect.stringContaining('its maxmemory-policy is allkeys-lru')]],
])('a server of version %s with the policy %s is used', (version, policy, expected) => {
  const warnings: string[] = [];
  const info = `# Server\r\nredis_version:${version}\r\nmaxmemory_policy:${policy}\r\n`;
  checkServer(info, address.label, (text) => warnings.push(text));
  expect(warnings).toEqual(expected);
});

test('an old server is refused', () => {
  expect(() => checkServer('redis_version:5.0.14\r\n', 'x', () => undefined)).toThrow(
    'the queue at x is Redis 5.0.14; natter needs 6.2 or newer',
  );
});
