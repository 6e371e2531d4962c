import path from 'node:path';
import type { BatchItem } from '../input/item.ts';
import type { QueueModule, RedisClient } from './library.ts';
import { Failure, type FailureKind } from '../../failure.ts';
import { isJsonObject, parseJson } from '../../json.ts';

/** What `batch submit` stores for all items of a batch. Workers use it instead of their own settings. */
export interface BatchHeader {
  /** The name of the input, for messages. */
  readonly input: string;
  readonly model: string;
  readonly system?: string;
  readonly maxTokens?: number;
  /** More fields of each request body. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  /** Absent if answers are not checked. */
  readonly check?: {
    /** JSON text; absent if only a value is selected. */
    readonly schema?: string;
    readonly retries: number;
    /** A JSON Pointer. */
    readonly select?: string;
  };
}

export interface QueuedItem extends BatchItem {
  /** See `promptFingerprint`. */
  readonly fingerprint: string;
}

/** A line of the results, without its line end. */
export interface QueuedResult {
  readonly index: number;
  readonly isAnswered: boolean;
  readonly line: string;
}

/**
 * The end of a job: `transient` failures are tried again until the attempts are used up, `returned` jobs wait for
 * any worker.
 */
export type JobOutcome =
  | { readonly state: 'answered' | 'returned' }
  | { readonly state: 'transient' | 'failed'; readonly kind: FailureKind };

export interface QueueJob {
  readonly item: QueuedItem;
  /** The number of starts, from 1; a job of a killed worker is started again. */
  readonly starts: number;
  /** A transient failure ends the job. */
  readonly isLastAttempt: boolean;
}

const pattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u;

/** @throws Failure `usage` */
export function checkBatchName(name: string): string {
  if (pattern.test(name)) return name;
  throw new Failure(
    'usage',
    '--batch must be a name of letters, digits, dots, hyphens and underscores, at most 100',
    { hint: 'for example: --batch reviews-2' },
  );
}

/**
 * The name of a batch: that of `--batch`, else the name of its file without folder and extension.
 * @param file undefined or `-` for standard input
 * @throws Failure `usage`
 */
export function batchNameOf(option: string | undefined, file: string | undefined): string {
  if (option !== undefined) return checkBatchName(option);
  if (file === undefined || file === '-') {
    throw new Failure('usage', 'standard input gives the batch no name', {
      hint: 'add --batch NAME',
    });
  }
  const { name } = path.parse(file);
  const cleaned = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[._-]+/, '');
  return pattern.test(cleaned) ? cleaned : checkBatchName(cleaned.slice(0, 100) || '-');
}

/**
 * At most `max` jobs in each window of `duration` milliseconds. A window is about a second long, because a whole minute's
 * jobs would start at once. A rate below one a second has one job in each window.
 */
export function rateWindow(perMinute: number) {
  const max = Math.max(1, Math.round(perMinute / 60));
  return { max, duration: Math.ceil((max * 60_000) / perMinute) };
}

/** Milliseconds without a renewal after which a worker counts as dead; renewed after half of it. */
const lease = 30_000;
/** Milliseconds between checks for jobs of dead workers. */
const stalledInterval = 10_000;
/** Milliseconds before a command is repeated after the connection was lost. */
const retryDelay = 1000;

/** All keys in Redis start with it; BullMQ has `natter:<batch>:…` too. */
export const keyPrefix = 'natter';

/** Milliseconds before the first further attempt of an item; doubled for each. */
const firstRetryDelay = 5000;
/** Jobs a minute; BullMQ's pauses apply only to a queue with a limit. */
const unlimited = 60e9;
const minute = 60_000;
/** Items that are read together. */
const scanSize = 1000;

/**
 * The keys of a batch: its header; fingerprints by index; result lines by index; and the indexes of items that cannot be
 * sent.
 */
const parts = ['batch', 'items', 'answers', 'failures', 'unsendable'] as const;
type Part = (typeof parts)[number];

/** What natter itself stores of a batch. */
function openStore(client: RedisClient, name: string) {
  const call = (command: string, part: Part, ...words: readonly (string | number)[]) =>
    client.call(command, `${keyPrefix}:${name}:${part}`, ...words);

  return {
    call,
    /** Undefined if there is no batch of this name. */
    async header(): Promise<BatchHeader | undefined> {
      const text = await call('HGET', 'batch', 'header');
      const value = typeof text === 'string' ? parseJson(text) : undefined;
      // `setHeader` is the only writer of this field.
      return isJsonObject(value) ? (value as unknown as BatchHeader) : undefined;
    },
    /** Creates the batch, or replaces its header. */
    async setHeader(header: BatchHeader): Promise<void> {
      await call('HSET', 'batch', 'header', JSON.stringify(header));
      await client.call('SADD', `${keyPrefix}:batches`, name);
    },
    /** The first answer stays, also if a worker that was suspended brings a second one, or a failure. */
    async putResult({ index, isAnswered, line }: QueuedResult): Promise<void> {
      if (isAnswered) await call('HSETNX', 'answers', index, line);
      else await call('HSET', 'failures', index, line);
    },
    async hasAnswer(index: number): Promise<boolean> {
      return (await call('HEXISTS', 'answers', index)) === 1;
    },
    /** Fingerprints by index, in ascending order of the index; empty for an item that cannot be sent. */
    async fingerprints(): Promise<ReadonlyMap<number, string>> {
      const found: (readonly [number, string])[] = [];
      let cursor = '0';
      do {
        const reply = await call('HSCAN', 'items', cursor, 'COUNT', scanSize);
        const [next, fields] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
        const words = Array.isArray(fields) ? fields.map(String) : [];
        for (let at = 0; at < words.length; at += 2) {
          found.push([Number(words[at]), words[at + 1] ?? '']);
        }
        cursor = typeof next === 'string' ? next : '0';
      } while (cursor !== '0');
      return new Map(found.sort(([one], [other]) => one - other));
    },
    /** The answers or the last failures at these indexes, in the same order. */
    async *results(indexes: readonly number[]): AsyncGenerator<QueuedResult, void> {
      for (let start = 0; start < indexes.length; start += scanSize) {
        const block = indexes.slice(start, start + scanSize);
        const answers = (await call('HMGET', 'answers', ...block)) as readonly unknown[];
        const failures = (await call('HMGET', 'failures', ...block)) as readonly unknown[];
        for (const [place, index] of block.entries()) {
          const line = answers[place] ?? failures[place];
          const isAnswered = typeof answers[place] === 'string';
          if (typeof line === 'string') yield { index, isAnswered, line };
        }
      }
    },
  };
}

/**
 * Opens a batch in Redis, which may not exist yet; BullMQ has its jobs, natter the items and results. All functions wait
 * while the connection is lost, unless it is given up.
 */
export function openRedisQueue(library: QueueModule, client: RedisClient, name: string) {
  // natter checks the version of the server; BullMQ would also print warnings.
  const options = { connection: client, prefix: keyPrefix, skipVersionCheck: true };
  const queue = new library.Queue(name, options);
  // Without a listener, Node throws the error.
  queue.on('error', () => undefined);

  const store = openStore(client, name);
  const { call } = store;
  return {
    ...store,
    name,
    close: () => queue.close(),
    /** Adds items; those that are there already stay as they are. @param attempts of each item */
    async add(items: readonly QueuedItem[], attempts: number): Promise<void> {
      if (items.length === 0) return;
      const prints = items.flatMap(({ index, fingerprint }) => [index, fingerprint]);
      const indexes = items.map(({ index }) => index);
      // Registered before they are added: after a crash in between, the same command adds them.
      await call('HSET', 'items', ...prints);
      await call('SREM', 'unsendable', ...indexes);
      const backoff = { type: 'exponential', delay: firstRetryDelay } as const;
      await queue.addBulk(
        items.map((item) => ({
          name: 'item',
          data: item,
          // BullMQ refuses plain numbers.
          opts: { jobId: `item-${item.index}`, attempts, backoff, stackTraceLimit: 0 },
        })),
      );
    },
    /** Adds items that cannot be sent, with their results. */
    async addUnsendable(results: readonly QueuedResult[]): Promise<void> {
      if (results.length === 0) return;
      const indexes = results.map(({ index }) => index);
      const lines = results.flatMap(({ index, line }) => [index, line]);
      const prints = indexes.flatMap((index) => [index, '']);
      await call('HSET', 'items', ...prints);
      await call('SADD', 'unsendable', ...indexes);
      await call('HSET', 'failures', ...lines);
    },
    /** Lets failed items wait again. @returns their number */
    async retryFailed(): Promise<number> {
      const { failed = 0 } = await queue.getJobCounts('failed');
      if (failed > 0) await queue.retryJobs({ state: 'failed' });
      return failed;
    },
    /** Counts jobs by state, in the order of the columns of `natter batch status`. */
    async counts() {
      const since = Date.now() - minute;
      const [jobs, items, answered, unsendable, lastMinute, workers] = await Promise.all([
        queue.getJobCounts('wait', 'paused', 'active', 'delayed', 'failed'),
        call('HLEN', 'items'),
        call('HLEN', 'answers'),
        call('SCARD', 'unsendable'),
        client.call('ZCOUNT', queue.toKey('completed'), since, '+inf'),
        queue.getWorkers(),
      ]);
      const { wait = 0, paused = 0, active = 0, delayed = 0, failed = 0 } = jobs;
      return {
        items: Number(items),
        answered: Number(answered),
        failed: failed + Number(unsendable),
        waiting: wait + paused,
        active,
        /** Waiting for a retry. */
        delayed,
        /** Items answered in the last minute. */
        lastMinute: Number(lastMinute),
        workers: workers.length,
      };
    },
    /** Sets the rate of all workers together, in jobs a minute; undefined for no limit. */
    async setRate(perMinute: number | undefined): Promise<void> {
      const { max, duration } = rateWindow(perMinute ?? unlimited);
      await queue.setGlobalRateLimit(max, duration);
    },
    /** All workers start no job for this time. */
    pause: (milliseconds: number): Promise<void> => queue.rateLimit(Math.ceil(milliseconds)),
    /**
     * Runs jobs, at most `concurrency` at once, with leases, retries and the shared rate of BullMQ.
     * @param onError gets errors of the queue itself, which the worker survives
     * @returns a function that fetches no more jobs; resolves when the running ones have ended and are stored
     */
    work(
      concurrency: number,
      onError: (error: Error) => void,
      run: (job: QueueJob) => Promise<JobOutcome>,
    ): () => Promise<void> {
      const worker = new library.Worker<QueuedItem>(
        name,
        async (job, token) => {
          const { data: item, opts, attemptsMade, attemptsStarted: starts } = job;
          const isLastAttempt = attemptsMade + 1 >= (opts.attempts ?? 1);
          const outcome = await run({ item, starts, isLastAttempt });
          // BullMQ ends a job by a value or by an error.
          if (outcome.state === 'returned') {
            await job.moveToWait(token);
            throw new library.WaitingError();
          }
          if (outcome.state === 'transient') throw new Error(outcome.kind);
          if (outcome.state === 'failed') throw new library.UnrecoverableError(outcome.kind);
        },
        {
          ...options,
          concurrency,
          lockDuration: lease,
          stalledInterval,
          // A job that stalls often is the job of workers that are often killed.
          maxStalledCount: Number.MAX_SAFE_INTEGER,
          runRetryDelay: retryDelay,
        },
      );
      worker.on('error', onError);
      return () => worker.close();
    },
    async remove(): Promise<void> {
      await queue.obliterate({ force: true });
      await client.call('DEL', ...parts.map((part) => `${keyPrefix}:${name}:${part}`));
      await client.call('SREM', `${keyPrefix}:batches`, name);
    },
  };
}

/** What commands use of a queue; tests have one in memory. */
export type BatchQueue = Omit<ReturnType<typeof openRedisQueue>, 'call'>;
