import type { ConnectionEvents, QueueConnection } from '../../../batch/queue/batch-queue.ts';
import type { QueueAddress } from './address.ts';
import { checkServer, connectionFailure, type ServerFacts } from './check-server.ts';
import type { Libraries, RedisClient, RedisOptions } from './library.ts';
import { keyPrefix, openQueue } from './redis-queue.ts';

/** Milliseconds. */
const connectTimeout = 10_000;
const longestPause = 1000;

function optionsOf(
  { host, port, database, isEncrypted }: QueueAddress,
  isOver: () => boolean,
): RedisOptions {
  return {
    host,
    port,
    db: database,
    ...(isEncrypted ? { tls: {} } : {}),
    connectTimeout,
    lazyConnect: true,
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    protocol: 2,
    retryStrategy: (times) =>
      isOver() ? null : Math.min(50 * 2 ** Math.min(times, 10), longestPause),
  };
}

/** The first error of a client, which ioredis reports as an event; a connection that fails only ends. */
function firstError(client: RedisClient): () => unknown {
  let first: unknown;
  client.on('error', (error) => (first ??= error));
  return () => first;
}

/** Connects once, without retries and without password. @throws Failure */
async function probe({ redis }: Libraries, address: QueueAddress): Promise<ServerFacts> {
  const options = { ...optionsOf(address, () => true), db: 0 };
  // The ready check sends INFO, which a server with a password refuses.
  const client = new redis.Redis({ ...options, enableReadyCheck: false });
  const error = firstError(client);
  try {
    await client.connect();
  } catch (thrown) {
    throw connectionFailure(address, error() ?? thrown);
  }
  try {
    return await checkServer(client, address);
  } finally {
    client.disconnect();
  }
}

/** Follows whether the connection is there. */
function watchConnection(client: RedisClient, { onLost, onRestored }: ConnectionEvents) {
  let restored: Promise<void> | undefined;
  let restore: () => void = () => undefined;
  let isClosed = false;
  client.on('close', () => {
    if (restored !== undefined || isClosed) return;
    restored = new Promise((resolve) => (restore = resolve));
    onLost();
  });
  client.on('ready', () => {
    if (restored === undefined) return;
    restored = undefined;
    restore();
    onRestored();
  });
  return {
    restored: () => restored,
    close(): void {
      isClosed = true;
      restore();
    },
  };
}

/** @throws Failure `usage`, `configuration`, `unauthorized` or `unreachable` */
export async function connectQueue(
  libraries: Libraries,
  address: QueueAddress,
  events: ConnectionEvents & { readonly onEviction: (policy: string) => void },
): Promise<QueueConnection> {
  const { needsNoPassword, eviction } = await probe(libraries, address);
  if (eviction !== undefined) events.onEviction(eviction);
  const { username, password } = address;
  let isOver = false;
  const client = new libraries.redis.Redis({
    ...optionsOf(address, () => isOver),
    ...(username === undefined || needsNoPassword ? {} : { username }),
    ...(password === undefined || needsNoPassword ? {} : { password }),
  });
  // Lost connections are reported by `close`.
  client.on('error', () => undefined);
  const watch = watchConnection(client, events);
  await client.connect();
  const closers: (() => Promise<void>)[] = [];
  return {
    label: address.label,
    async batches() {
      const names = await client.call('SMEMBERS', `${keyPrefix}:batches`);
      return Array.isArray(names) ? names.map(String).sort() : [];
    },
    open(name) {
      const opened = openQueue(libraries.queue, client, name);
      closers.push(opened.close);
      return opened.queue;
    },
    restored: watch.restored,
    giveUp: () => void (isOver = true),
    async close() {
      isOver = true;
      watch.close();
      for (const close of closers) await close();
      client.disconnect();
    },
  };
}
