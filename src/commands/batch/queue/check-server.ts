import { Failure } from '../../../failure.ts';
import { errorCode } from '../../../storage/storage-failure.ts';
import { queueVariable, type QueueAddress } from './address.ts';
import type { RedisClient } from './library.ts';

/** The oldest Redis with the commands that BullMQ sends. */
const oldestVersion = [6, 2] as const;

export interface ServerFacts {
  /** It accepts every client, so that the password is not sent; ioredis would print a warning. */
  readonly needsNoPassword: boolean;
  /** Redis may delete keys when its memory is full. */
  readonly eviction: string | undefined;
}

const variableHint = `set ${queueVariable} to redis://user:password@host:port`;

function refused({ label, password }: QueueAddress): Failure {
  const message =
    password === undefined
      ? `the queue at ${label} requires a password`
      : `the queue at ${label} refused the user name or password`;
  return new Failure('unauthorized', message, {
    hint: password === undefined ? variableHint : `correct the password in ${queueVariable}`,
  });
}

const networkReasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing is listening there'],
  ['ENOTFOUND', 'the host is unknown'],
  ['EAI_AGAIN', 'the host name cannot be looked up now'],
  ['ETIMEDOUT', 'it does not respond'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ENETUNREACH', 'there is no route to the host'],
  ['ECONNRESET', 'it closed the connection; it is not Redis, or it expects rediss://'],
  ['EPIPE', 'it closed the connection; it is not Redis, or it expects rediss://'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not use TLS; use redis:// instead of rediss://'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'it does not use TLS; use redis:// instead of rediss://'],
]);

/** The codes of an untrusted certificate. */
const untrusted = /CERT|SELF_SIGNED|ISSUER/;

/** The failure of a connection that could not be opened. */
export function connectionFailure(address: QueueAddress, error: unknown): Failure {
  const { label, isEncrypted } = address;
  const code = errorCode(error) ?? '';
  const options = { cause: error };
  if (untrusted.test(code)) {
    return new Failure('unreachable', `the certificate of the queue at ${label} is not trusted`, {
      ...options,
      hint: "set NODE_EXTRA_CA_CERTS to the PEM file of your company's authority",
    });
  }
  const text = error instanceof Error ? error.message : String(error);
  if (/protocol error|connection is closed/i.test(text)) {
    return new Failure('unreachable', `${label} does not speak the protocol of Redis`, {
      ...options,
      hint: 'check host and port; for an encrypted connection, use rediss://',
    });
  }
  const reason = networkReasons.get(code) ?? (code === '' ? text : code);
  const plain = isEncrypted ? '; redis:// connects without TLS' : '';
  return new Failure('unreachable', `cannot connect to the queue at ${label}: ${reason}`, {
    ...options,
    hint: `start Redis or Valkey there, or correct the address${plain}`,
  });
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function checkVersion({ label }: QueueAddress, info: string): void {
  const version = fieldOf(info, 'redis_version');
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (version === undefined || !isOld) return;
  const message = `the queue at ${label} is Redis ${version}; natter needs ${oldestVersion.join('.')} or newer`;
  throw new Failure('configuration', message, { hint: 'update Redis, or use Valkey' });
}

/** True if the server has no password. @throws the server's error for a wrong one */
async function signIn(client: RedisClient, { username, password }: QueueAddress): Promise<boolean> {
  if (password === undefined) return false;
  try {
    await client.call('AUTH', ...(username === undefined ? [] : [username]), password);
    return false;
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    if (/no password is set|without any password configured/i.test(text)) return true;
    throw error;
  }
}

/**
 * Checks a server over a connection without password.
 * @throws Failure `unauthorized`, `configuration` or `unreachable`
 */
export async function checkServer(
  client: RedisClient,
  address: QueueAddress,
): Promise<ServerFacts> {
  try {
    const needsNoPassword = await signIn(client, address);
    const info = String(await client.call('INFO'));
    checkVersion(address, info);
    await client.call('SELECT', address.database);
    const policy = fieldOf(info, 'maxmemory_policy');
    return { needsNoPassword, eviction: policy === 'noeviction' ? undefined : policy };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const text = error instanceof Error ? error.message : '';
    const [word = ''] = text.split(' ');
    if (['WRONGPASS', 'NOAUTH', 'NOPERM'].includes(word) || /invalid password/i.test(text)) {
      throw refused(address);
    }
    if (/DB index is out of range|invalid DB index/i.test(text)) {
      throw new Failure('usage', `the queue at ${address.label} has no database of this number`, {
        hint: 'use a lower number, such as 0',
      });
    }
    throw connectionFailure(address, error);
  }
}
