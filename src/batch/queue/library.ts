import { createRequire } from 'node:module';
import { Failure } from '../../failure.ts';
import { isJsonObject } from '../../json.ts';
import { errorCode } from '../../storage/storage-failure.ts';

/** The parts of ioredis and BullMQ that natter uses; both are optional, so their types are not installed. */

export interface RedisOptions {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: object;
  readonly connectTimeout: number;
  readonly lazyConnect: boolean;
  readonly maxRetriesPerRequest: null;
  /** Milliseconds to wait; null gives up. */
  readonly retryStrategy: (times: number) => number | null;
  readonly enableReadyCheck: boolean;
  /** Of RESP. With 3, the first command is one that a server with a password refuses. */
  readonly protocol: 2;
}

export interface RedisClient {
  connect(): Promise<void>;
  /** Sends any command. */
  call(command: string, ...words: readonly (string | number)[]): Promise<unknown>;
  /** Closes the connection; unanswered commands fail. */
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close' | 'ready', listener: () => void): unknown;
}

/** A job as BullMQ returns it. */
export interface LibraryJob<Data> {
  readonly data: Data;
  readonly opts: { readonly attempts?: number };
  readonly attemptsMade: number;
  readonly attemptsStarted: number;
  moveToWait(token: string | undefined): Promise<unknown>;
}

interface QueueOptions {
  readonly connection: RedisClient;
  readonly prefix: string;
  /** natter checks the version; BullMQ would also print warnings. */
  readonly skipVersionCheck: true;
}

export interface LibraryQueue<Data> {
  addBulk(
    jobs: readonly {
      readonly name: string;
      readonly data: Data;
      readonly opts: {
        readonly jobId: string;
        readonly attempts: number;
        readonly backoff: { readonly type: 'exponential'; readonly delay: number };
        readonly stackTraceLimit: number;
      };
    }[],
  ): Promise<unknown>;
  getJobCounts(...states: readonly string[]): Promise<Readonly<Record<string, number>>>;
  getWorkers(): Promise<readonly unknown[]>;
  retryJobs(options: { readonly state: 'failed' }): Promise<void>;
  rateLimit(milliseconds: number): Promise<void>;
  setGlobalRateLimit(max: number, duration: number): Promise<unknown>;
  obliterate(options: { readonly force: true }): Promise<void>;
  /** The key of a part of the queue, such as its list of completed jobs. */
  toKey(type: string): string;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface QueueModule {
  readonly Queue: new <Data>(name: string, options: QueueOptions) => LibraryQueue<Data>;
  readonly Worker: new <Data>(
    name: string,
    processor: (job: LibraryJob<Data>, token: string | undefined) => Promise<unknown>,
    options: QueueOptions & {
      readonly concurrency: number;
      /** Milliseconds. */
      readonly lockDuration: number;
      readonly stalledInterval: number;
      readonly maxStalledCount: number;
      /** Milliseconds before a command is repeated after the connection was lost. */
      readonly runRetryDelay: number;
    },
  ) => {
    close(): Promise<void>;
    on(event: 'error', listener: (error: Error) => void): unknown;
  };
  /** Ends a job as failed, whatever attempts are left. */
  readonly UnrecoverableError: new (message: string) => Error;
  /** Thrown after `moveToWait`. */
  readonly WaitingError: new () => Error;
}

export interface Libraries {
  readonly redis: { readonly Redis: new (options: RedisOptions) => RedisClient };
  readonly queue: QueueModule;
}

/** The oldest versions with all the parts in `library.ts`. */
const oldest = { bullmq: [6, 0], ioredis: [5, 4] } as const;

type LibraryName = keyof typeof oldest;

const queueLibrary: LibraryName = 'bullmq';
const redisLibrary: LibraryName = 'ioredis';

const hint =
  '‹npm install --global bullmq ioredis›; if natter is not installed globally, also set NODE_PATH="$(npm root --global)"';

function missing(name: LibraryName): Failure {
  return new Failure('configuration', `a queue needs the package ${name}, which is not installed`, {
    hint,
  });
}

function isOld(version: unknown, [oldestMajor, oldestMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = String(version).split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/** @throws Failure `configuration` for an old version */
function checkVersion(require: NodeJS.Require, name: LibraryName): void {
  const description: unknown = require(`${name}/package.json`);
  const version = isJsonObject(description) ? description['version'] : undefined;
  if (!isOld(version, oldest[name])) return;
  const message = `a queue needs ${name} ${oldest[name].join('.')} or newer, not ${String(version)}`;
  throw new Failure('configuration', message, { hint });
}

/** Undefined if the package is not installed where `require` looks. @throws Failure `configuration`; other errors of the package */
function loadFrom(require: NodeJS.Require, name: LibraryName): unknown {
  try {
    checkVersion(require, name);
    return require(name);
  } catch (error) {
    if (errorCode(error) !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/**
 * Loads BullMQ and ioredis from where `program` finds them: beside natter, or in `NODE_PATH`. Never from the current
 * folder, whose files may be a stranger's.
 * @param program path of the file in whose folder, and the folders above, `node_modules` is searched
 * @throws Failure `configuration`
 */
export function loadLibraries(program: string = import.meta.filename): Libraries {
  const require = createRequire(program);
  const queue = loadFrom(require, queueLibrary);
  if (queue === undefined) throw missing(queueLibrary);
  // BullMQ may have its own ioredis, in the folder of its package.
  const redis = loadFrom(createRequire(require.resolve(queueLibrary)), redisLibrary);
  if (redis === undefined) throw missing(redisLibrary);
  // Both are checked only by their versions: their own types are not installed.
  return { queue: queue as QueueModule, redis: redis as Libraries['redis'] };
}
