import {
  type BatchHeader,
  type BatchQueue,
  jobIdOf,
  type JobOutcome,
  type KnownItem,
  type QueuedItem,
  type QueuedResult,
  type QueueJob,
  type QueueWorker,
  type WorkerOptions,
} from '../../../batch/queue/batch-queue.ts';
import type { LibraryJob, LibraryQueue, QueueModule, RedisClient } from './library.ts';
import { isJsonObject, parseJson } from '../../../json.ts';

/** At most `max` jobs in each window of `duration` milliseconds. */
interface RateWindow {
  readonly max: number;
  readonly duration: number;
}

/**
 * Windows of about a second, because a whole minute's jobs would start at once. A rate below one a second has one job in
 * each window.
 */
export function rateWindow(perMinute: number): RateWindow {
  const max = Math.max(1, Math.round(perMinute / 60));
  return { max, duration: Math.ceil((max * 60_000) / perMinute) };
}

/** Milliseconds without a renewal after which a worker counts as dead; renewed after half of it. */
const lease = 30_000;
/** Milliseconds between checks for jobs of dead workers. */
const stalledInterval = 10_000;
/** Milliseconds before a command is repeated after the connection was lost. */
const retryDelay = 1000;

interface Place {
  readonly client: RedisClient;
  readonly name: string;
  readonly prefix: string;
}

type Job = LibraryJob<QueuedItem>;

function queueJob({ data, opts, attemptsMade, attemptsStarted }: Job): QueueJob {
  return {
    item: data,
    starts: attemptsStarted,
    isLastAttempt: attemptsMade + 1 >= (opts.attempts ?? 1),
  };
}

/** Ends a job as BullMQ expects: by a value or by an error. */
async function endJob(
  library: QueueModule,
  job: Job,
  token: string | undefined,
  outcome: JobOutcome,
): Promise<void> {
  switch (outcome.state) {
    case 'answered':
      return;
    case 'returned':
      await job.moveToWait(token);
      throw new library.WaitingError();
    case 'transient':
      throw new Error(outcome.kind);
    case 'failed':
      throw new library.UnrecoverableError(outcome.kind);
  }
}

/** Starts a worker with leases, retries and the shared rate of BullMQ. */
function startWorker(
  library: QueueModule,
  { client, name, prefix }: Place,
  { concurrency, onError }: WorkerOptions,
  run: (job: QueueJob) => Promise<JobOutcome>,
): QueueWorker {
  const worker = new library.Worker<QueuedItem>(
    name,
    async (job, token) => endJob(library, job, token, await run(queueJob(job))),
    {
      connection: client,
      prefix,
      skipVersionCheck: true,
      concurrency,
      lockDuration: lease,
      stalledInterval,
      // A job that stalls often is the job of workers that are often killed.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: retryDelay,
    },
  );
  worker.on('error', onError);
  return { close: () => worker.close() };
}

/** All keys in Redis start with it; BullMQ has `natter:<batch>:…` too. */
export const keyPrefix = 'natter';

/** Milliseconds before the first further attempt of an item; doubled for each. */
const firstRetryDelay = 5000;
/** Jobs a minute; BullMQ's pauses apply only to a queue with a limit. */
const unlimited = 60e9;
/** Milliseconds. */
const minute = 60_000;
const scanSize = 5000;

function keysOf(name: string) {
  const key = (part: string) => `${keyPrefix}:${name}:${part}`;
  return {
    batch: key('batch'),
    /** Fingerprints by index. */
    items: key('items'),
    /** Indexes by id. */
    ids: key('ids'),
    /** Result lines by index. */
    answers: key('answers'),
    failures: key('failures'),
    /** Indexes of items that cannot be sent. */
    unsendable: key('unsendable'),
  };
}

type Keys = ReturnType<typeof keysOf>;

interface Stored {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly name: string;
}

async function hashValues(
  { client }: Stored,
  key: string,
  fields: readonly (string | number)[],
): Promise<readonly (string | undefined)[]> {
  if (fields.length === 0) return [];
  const values = await client.call('HMGET', key, ...fields);
  if (!Array.isArray(values)) return fields.map(() => undefined);
  return values.map((value: unknown) => (typeof value === 'string' ? value : undefined));
}

async function readHeader({ client, keys }: Stored): Promise<BatchHeader | undefined> {
  const text = await client.call('HGET', keys.batch, 'header');
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  // `setHeader` is the only writer of this field.
  return isJsonObject(value) ? (value as unknown as BatchHeader) : undefined;
}

async function readKnown(
  stored: Stored,
  items: Parameters<BatchQueue['known']>[0],
): Promise<readonly KnownItem[]> {
  const { keys } = stored;
  const indexes = items.map(({ index }) => index);
  const ids = items.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const [fingerprints, indexesOfIds] = await Promise.all([
    hashValues(stored, keys.items, indexes),
    hashValues(stored, keys.ids, ids),
  ]);
  const indexOf = new Map(ids.map((id, place) => [id, indexesOfIds[place]]));
  return items.map(({ id }, place) => {
    const index = id === undefined ? undefined : indexOf.get(id);
    return {
      fingerprint: fingerprints[place],
      indexOfId: index === undefined ? undefined : Number(index),
    };
  });
}

async function addItems(
  { client, keys }: Stored,
  queue: LibraryQueue<QueuedItem>,
  items: readonly QueuedItem[],
  attempts: number,
): Promise<void> {
  if (items.length === 0) return;
  const prints = items.flatMap(({ index, fingerprint }) => [index, fingerprint]);
  const ids = items.flatMap(({ id, index }) => (id === undefined ? [] : [id, index]));
  // Registered before they are added: after a crash in between, the same command adds them.
  await client.call('HSET', keys.items, ...prints);
  await client.call('SREM', keys.unsendable, ...items.map(({ index }) => index));
  if (ids.length > 0) await client.call('HSET', keys.ids, ...ids);
  const backoff = { type: 'exponential', delay: firstRetryDelay } as const;
  await queue.addBulk(
    items.map((item) => ({
      name: 'item',
      data: item,
      opts: { jobId: jobIdOf(item), attempts, backoff, stackTraceLimit: 0 },
    })),
  );
}

async function addUnsendable(
  { client, keys }: Stored,
  results: readonly QueuedResult[],
): Promise<void> {
  if (results.length === 0) return;
  const indexes = results.map(({ index }) => index);
  await client.call('HSET', keys.items, ...indexes.flatMap((index) => [index, '']));
  await client.call('SADD', keys.unsendable, ...indexes);
  await client.call('HSET', keys.failures, ...results.flatMap(({ index, line }) => [index, line]));
}

async function readResults(
  stored: Stored,
  indexes: readonly number[],
): Promise<readonly (QueuedResult | undefined)[]> {
  const { keys } = stored;
  const answers = await hashValues(stored, keys.answers, indexes);
  const failures = await hashValues(stored, keys.failures, indexes);
  return indexes.map((index, place) => {
    const answer = answers[place];
    const line = answer ?? failures[place];
    return line === undefined ? undefined : { index, isAnswered: answer !== undefined, line };
  });
}

async function readFingerprints({ client, keys }: Stored): Promise<ReadonlyMap<number, string>> {
  const found: (readonly [number, string])[] = [];
  let cursor = '0';
  do {
    const reply = await client.call('HSCAN', keys.items, cursor, 'COUNT', scanSize);
    const [next, fields] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
    const words = Array.isArray(fields) ? fields.map(String) : [];
    for (let at = 0; at < words.length; at += 2) {
      found.push([Number(words[at]), words[at + 1] ?? '']);
    }
    cursor = typeof next === 'string' ? next : '0';
  } while (cursor !== '0');
  return new Map(found.sort(([one], [other]) => one - other));
}

async function putResult({ client, keys }: Stored, result: QueuedResult): Promise<void> {
  const { index, isAnswered, line } = result;
  // The first answer stays, also if a worker that was suspended brings a second one.
  if (isAnswered) await client.call('HSETNX', keys.answers, index, line);
  else await client.call('HSET', keys.failures, index, line);
}

async function readCounts(
  { client, keys }: Stored,
  queue: LibraryQueue<QueuedItem>,
): Promise<Awaited<ReturnType<BatchQueue['counts']>>> {
  const since = Date.now() - minute;
  const [jobs, items, answered, unsendable, lastMinute, workers] = await Promise.all([
    queue.getJobCounts('wait', 'paused', 'active', 'delayed', 'failed'),
    client.call('HLEN', keys.items),
    client.call('HLEN', keys.answers),
    client.call('SCARD', keys.unsendable),
    client.call('ZCOUNT', queue.toKey('completed'), since, '+inf'),
    queue.getWorkers(),
  ]);
  const { wait = 0, paused = 0, active = 0, delayed = 0, failed = 0 } = jobs;
  return {
    items: Number(items),
    waiting: wait + paused,
    active,
    delayed,
    answered: Number(answered),
    failed: failed + Number(unsendable),
    lastMinute: Number(lastMinute),
    workers: workers.length,
  };
}

async function removeBatch(
  { client, keys, name }: Stored,
  queue: LibraryQueue<QueuedItem>,
): Promise<void> {
  await queue.obliterate({ force: true });
  await client.call('DEL', ...Object.values(keys));
  await client.call('SREM', `${keyPrefix}:batches`, name);
}

function batchQueue(
  library: QueueModule,
  stored: Stored,
  queue: LibraryQueue<QueuedItem>,
): BatchQueue {
  const { client, keys, name } = stored;
  return {
    name,
    header: () => readHeader(stored),
    async setHeader(header) {
      await client.call('HSET', keys.batch, 'header', JSON.stringify(header));
      await client.call('SADD', `${keyPrefix}:batches`, name);
    },
    known: (items) => readKnown(stored, items),
    add: (items, attempts) => addItems(stored, queue, items, attempts),
    addUnsendable: (results) => addUnsendable(stored, results),
    async retryFailed() {
      const { failed = 0 } = await queue.getJobCounts('failed');
      if (failed > 0) await queue.retryJobs({ state: 'failed' });
      return failed;
    },
    putResult: (result) => putResult(stored, result),
    hasAnswer: async (index) => (await client.call('HEXISTS', keys.answers, index)) === 1,
    fingerprints: () => readFingerprints(stored),
    results: (indexes) => readResults(stored, indexes),
    counts: () => readCounts(stored, queue),
    async setRate(perMinute) {
      const { max, duration } = rateWindow(perMinute ?? unlimited);
      await queue.setGlobalRateLimit(max, duration);
    },
    pause: (milliseconds) => queue.rateLimit(Math.ceil(milliseconds)),
    work: (options, run) => startWorker(library, { client, name, prefix: keyPrefix }, options, run),
    remove: () => removeBatch(stored, queue),
  };
}

/** Opens one batch on a connection; it may not exist yet. */
export function openQueue(
  library: QueueModule,
  client: RedisClient,
  name: string,
): { readonly queue: BatchQueue; readonly close: () => Promise<void> } {
  const options = { connection: client, prefix: keyPrefix, skipVersionCheck: true } as const;
  const queue = new library.Queue<QueuedItem>(name, options);
  // Without a listener, Node throws the error.
  queue.on('error', () => undefined);
  const stored = { client, keys: keysOf(name), name };
  return { queue: batchQueue(library, stored, queue), close: () => queue.close() };
}
