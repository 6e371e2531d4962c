import { expect, test } from 'vitest';
import {
  checkServer,
  connectionFailure,
  type QueueAddress,
} from '../../../src/batch/queue/connect.ts';
import type { RedisClient } from '../../../src/batch/queue/library.ts';

const address: QueueAddress = {
  host: 'cache.test',
  port: 6379,
  database: 2,
  username: undefined,
  password: undefined,
  isEncrypted: false,
  label: 'redis://cache.test:6379/2',
};
const secured = { ...address, username: 'me', password: 'not-for-eyes' };

type Replies = Readonly<Record<string, string | Error>>;

const info = (version: string, policy = 'noeviction') =>
  `# Server\r\nredis_version:${version}\r\nmaxmemory_policy:${policy}\r\n`;

function serverWith(replies: Replies) {
  const sent: string[] = [];
  const client: RedisClient = {
    connect: async () => undefined,
    disconnect: () => undefined,
    on: () => undefined,
    async call(command, ...words) {
      sent.push([command, ...words].join(' '));
      const reply = replies[command] ?? 'OK';
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
  return { client, sent };
}

test('a server without password is asked for its version and the database', async () => {
  const { client, sent } = serverWith({ INFO: info('7.0.15') });
  expect(await checkServer(client, address)).toBeUndefined();
  expect(sent).toEqual(['INFO', 'SELECT 2']);
});

test('the user name and password are sent first', async () => {
  const { client, sent } = serverWith({ INFO: info('7.2.4') });
  await checkServer(client, secured);
  expect(sent[0]).toBe('AUTH me not-for-eyes');
});

test('a policy that deletes keys is reported', async () => {
  const { client } = serverWith({ INFO: info('7.0.15', 'allkeys-lru') });
  expect(await checkServer(client, address)).toBe('allkeys-lru');
});

test.each([
  [
    'requires a password',
    address,
    { INFO: new Error('NOAUTH Authentication required.') },
    'unauthorized',
  ],
  [
    'refused the user name or password',
    secured,
    { AUTH: new Error('WRONGPASS invalid username-password pair or user is disabled.') },
    'unauthorized',
  ],
  [
    'refused the user name or password',
    secured,
    { AUTH: new Error('ERR Client sent AUTH, but no password is set') },
    'unauthorized',
  ],
  ['is Redis 5.0.14', address, { INFO: info('5.0.14') }, 'configuration'],
  [
    'has no database of this number',
    address,
    { INFO: info('7.0.15'), SELECT: new Error('ERR DB index is out of range') },
    'usage',
  ],
  ['cannot connect', address, { INFO: new Error('ERR strange') }, 'unreachable'],
] as const)('a server that %s is a failure', async (words, where, replies, kind) => {
  const { client } = serverWith(replies);
  const failure = checkServer(client, where);
  await expect(failure).rejects.toMatchObject({ kind });
  await expect(failure).rejects.toThrow(words);
  await expect(failure).rejects.not.toThrow('not-for-eyes');
});

test.each([
  ['ECONNREFUSED', address, 'nothing is listening there'],
  ['ENOTFOUND', address, 'the host is unknown'],
  ['ECONNRESET', address, 'it is not Redis, or it expects rediss://'],
  ['ETIMEDOUT', { ...address, isEncrypted: true }, 'it does not respond'],
  ['SELF_SIGNED_CERT_IN_CHAIN', address, 'is not trusted'],
])('%s is one sentence', (code, where, words) => {
  const error = Object.assign(new Error('connect'), { code });
  const failure = connectionFailure(where, error);
  expect(failure).toMatchObject({ kind: 'unreachable', cause: error });
  expect(failure.message).toContain(words);
  expect(failure.hint?.includes('redis:// connects without TLS')).toBe(where.isEncrypted);
});

test('bytes that are not of Redis are one sentence', () => {
  const error = new Error('Protocol error, got "H" as reply type byte');
  expect(connectionFailure(address, error).message).toBe(
    'redis://cache.test:6379/2 does not speak the protocol of Redis',
  );
});
