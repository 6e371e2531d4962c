import { isOlder, type Libraries } from './library.ts';
import { type BatchQueue, keyPrefix, openRedisQueue } from './redis-queue.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Environment } from '../../environment.ts';
import { Failure, type FailureKind } from '../../failure.ts';
import { maskUrl } from '../../secrets/mask.ts';
import { errorCode } from '../../storage/storage-failure.ts';

const queueVariable = 'NATTER_QUEUE';
const example = 'redis://localhost:6379';
const defaultPort = 6379;

/** Undefined for a text that is not an address of Redis. */
function parseAddress(text: string) {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, pathname, search, hash, port, username, password } = new URL(text);
  const number = /^\/?(\d{0,5})$/.exec(pathname)?.[1];
  const isRedis = protocol === 'redis:' || protocol === 'rediss:';
  if (!isRedis || number === undefined || hostname === '' || search + hash !== '') return undefined;
  try {
    decodeURIComponent(username + password);
  } catch {
    // The user name or password has a percent sign that starts no escape.
    return undefined;
  }
  return {
    url: text,
    /** The address in messages: without user name and password. */
    label: `${protocol}//${hostname}:${port || defaultPort}/${number || 0}`,
    isEncrypted: protocol === 'rediss:',
    hasPassword: password !== '',
  };
}

type QueueAddress = NonNullable<ReturnType<typeof parseAddress>>;

/**
 * The address of `--queue`, else of NATTER_QUEUE, whose password is masked from now on.
 * @throws Failure `usage` or `configuration`
 */
export function queueAddress(
  option: string | undefined,
  { environment, secrets }: { readonly environment: Environment; readonly secrets: Secrets },
): QueueAddress {
  const text = option ?? environment[queueVariable]?.trim() ?? '';
  if (option === undefined && text === '') {
    throw new Failure('usage', 'no queue is named', {
      hint: `add --queue ${example}, or set ${queueVariable}`,
    });
  }
  secrets.keep({ addresses: [text] });
  // Arguments are visible to other users, so an option must not have a password.
  if (option?.includes('@') === true) {
    throw new Failure(
      'usage',
      '--queue has a user name or password, which other users could read in the list of processes',
      { hint: `set ${queueVariable} to this address instead, and omit --queue` },
    );
  }
  const address = parseAddress(text);
  if (address !== undefined) return address;
  const name = option === undefined ? queueVariable : '--queue';
  throw new Failure(
    option === undefined ? 'configuration' : 'usage',
    `${name} must be an address such as ${example}/0 or rediss://host:6380, not "${maskUrl(text)}"`,
    {
      hint: 'redis:// is plain, rediss:// encrypted; the path is the number of the database; in a password, write % as %25',
    },
  );
}

/** The oldest Redis with the commands that BullMQ sends. */
const oldestVersion = [6, 2] as const;

/** Any other error has its code in the message. */
const networkReasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing is listening there'],
  ['ENOTFOUND', 'the host is unknown'],
  ['EAI_AGAIN', 'the host name cannot be looked up now'],
  ['ETIMEDOUT', 'it does not respond'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ECONNRESET', 'it closed the connection; it is not Redis, or it expects rediss://'],
]);

/** The failure of a connection that could not be opened. */
export function connectionFailure(
  { label, isEncrypted, hasPassword }: QueueAddress,
  cause: unknown,
): Failure {
  const code = errorCode(cause) ?? '';
  const text = cause instanceof Error ? cause.message : String(cause);
  const failure = (kind: FailureKind, message: string, hint: string) =>
    new Failure(kind, message, { hint, cause });
  if (/CERT|SELF_SIGNED|ISSUER/.test(code)) {
    const hint = "set NODE_EXTRA_CA_CERTS to the PEM file of your company's authority";
    return failure('unreachable', `the certificate of the queue at ${label} is not trusted`, hint);
  }
  if (/^(?:WRONGPASS|NOAUTH|NOPERM)\b|invalid password/i.test(text)) {
    const problem = hasPassword ? 'refused the user name or password' : 'requires a password';
    const hint = hasPassword
      ? `correct the user name and password in ${queueVariable}, or omit them`
      : `set ${queueVariable} to redis://user:password@host:port`;
    return failure('unauthorized', `the queue at ${label} ${problem}`, hint);
  }
  if (/DB index is out of range|invalid DB index/i.test(text)) {
    const message = `the queue at ${label} has no database of this number`;
    return failure('usage', message, 'use a lower number, such as 0');
  }
  if (/protocol error|unknown RESP type|connection is closed/i.test(text)) {
    const hint = 'check host and port; for an encrypted connection, use rediss://';
    return failure('unreachable', `${label} does not speak the protocol of Redis`, hint);
  }
  const reason = networkReasons.get(code) ?? (code === '' ? text : code);
  const plain = isEncrypted ? '; redis:// connects without TLS' : '';
  const hint = `start Redis or Valkey there, or correct the address${plain}`;
  return failure('unreachable', `cannot connect to the queue at ${label}: ${reason}`, hint);
}

const fieldOf = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/**
 * Checks what a server says about itself.
 * @throws Failure `configuration` for an old one
 */
export function checkServer(info: string, label: string, warn: (text: string) => void): void {
  const version = fieldOf(info, 'redis_version');
  if (version !== undefined && isOlder(version, oldestVersion)) {
    const message = `the queue at ${label} is Redis ${version}; natter needs ${oldestVersion.join('.')} or newer`;
    throw new Failure('configuration', message, { hint: 'update Redis, or use Valkey' });
  }
  const policy = fieldOf(info, 'maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return;
  warn(
    `${label} may delete prompts and answers when its memory is full: its maxmemory-policy is ${policy}, not noeviction`,
  );
}

/** Milliseconds. */
const connectTimeout = 10_000;
const longestPause = 1000;

/** @throws Failure `usage`, `configuration`, `unauthorized` or `unreachable` */
export async function connectQueue(
  libraries: Libraries,
  address: QueueAddress,
  notices: { notice(text: string): void; warning(text: string): void },
) {
  const { url, label } = address;
  /** The connection is not opened again. The first one is tried once. */
  let isOver = true;
  let isClosed = false;
  const client = new libraries.redis.Redis(url, {
    connectTimeout,
    lazyConnect: true,
    maxRetriesPerRequest: null,
    // RESP 2, in which a set is an array.
    protocol: 2,
    retryStrategy: (times: number) =>
      isOver ? null : Math.min(50 * 2 ** Math.min(times, 10), longestPause),
  });
  const errors: Error[] = [];
  // Without a listener, Node throws the error. Lost connections are reported by `close`.
  client.on('error', (error) => void (isOver && errors.push(error)));
  try {
    await client.connect();
    // ioredis goes on in the first database if the server does not have the one of the address.
    if (errors.length > 0) throw errors[0];
    checkServer(String(await client.call('INFO')), label, (text) => notices.warning(text));
  } catch (error) {
    client.disconnect();
    // ioredis reports the cause as an event; the connection itself only ends.
    throw error instanceof Failure ? error : connectionFailure(address, errors[0] ?? error);
  }
  isOver = false;
  let restored: Promise<void> | undefined;
  let restore: () => void = () => undefined;
  client.on('close', () => {
    if (restored !== undefined || isClosed) return;
    restored = new Promise((resolve) => (restore = resolve));
    notices.warning(`the connection to ${label} is lost; trying again`);
  });
  client.on('ready', () => {
    if (restored === undefined) return;
    restored = undefined;
    restore();
    notices.notice(`connected to ${label} again`);
  });
  const queues: BatchQueue[] = [];
  return {
    /** Its address, without the password. */
    label,
    async batches(): Promise<readonly string[]> {
      const names = await client.call('SMEMBERS', `${keyPrefix}:batches`);
      return Array.isArray(names) ? names.map(String).sort() : [];
    },
    open(name: string): BatchQueue {
      const queue = openRedisQueue(libraries.queue, client, name);
      queues.push(queue);
      return queue;
    },
    /** Resolves when the connection is there again; undefined while it is. */
    restored: () => restored,
    /** A lost connection is not opened again: commands that wait for it fail within about a second. */
    giveUp: () => void (isOver = true),
    async close(): Promise<void> {
      isOver = true;
      isClosed = true;
      restore();
      for (const queue of queues) await queue.close();
      client.disconnect();
    },
  };
}

export type QueueConnection = Awaited<ReturnType<typeof connectQueue>>;
