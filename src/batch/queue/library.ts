import { createRequire } from 'node:module';
import { Failure } from '../../failure.ts';
import { isJsonObject } from '../../json.ts';
import { errorCode } from '../../storage/storage-failure.ts';

/** The parts of ioredis and BullMQ that natter uses; both are optional, so their types are not installed. */

export interface RedisClient {
  connect(): Promise<void>;
  call(command: string, ...words: readonly (string | number)[]): Promise<unknown>;
  /** Closes the connection; unanswered commands fail. */
  disconnect(): void;
  on(event: 'error' | 'close' | 'ready', listener: (error: Error) => void): unknown;
}

interface LibraryJob<Data> {
  readonly data: Data;
  readonly opts: { readonly attempts?: number };
  readonly attemptsMade: number;
  readonly attemptsStarted: number;
  moveToWait(token: string | undefined): Promise<unknown>;
}

interface LibraryQueue {
  addBulk(jobs: readonly object[]): Promise<unknown>;
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
  readonly Queue: new (name: string, options: object) => LibraryQueue;
  readonly Worker: new <Data>(
    name: string,
    processor: (job: LibraryJob<Data>, token: string | undefined) => Promise<unknown>,
    options: object,
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
  readonly redis: { readonly Redis: new (url: string, options: object) => RedisClient };
  readonly queue: QueueModule;
}

/** The oldest versions with all the parts above. */
const oldest = { bullmq: '6.0', ioredis: '5.4' } as const;

const hint =
  '‹npm install --global bullmq ioredis›; if natter is not installed globally, also set NODE_PATH="$(npm root --global)"';

/** Whether a version is older than another one. */
export const isOlder = (version: string, other: string) =>
  version.localeCompare(other, 'en', { numeric: true }) < 0;

/** @throws Failure `configuration` if the package is missing or old; other errors of the package */
function loadFrom(require: NodeJS.Require, name: keyof typeof oldest): unknown {
  let problem = `the package ${name}, which is not installed`;
  try {
    const description: unknown = require(`${name}/package.json`);
    const version = String(isJsonObject(description) ? description['version'] : undefined);
    if (!isOlder(version, oldest[name])) return require(name);
    problem = `${name} ${oldest[name]} or newer, not ${version}`;
  } catch (error) {
    if (errorCode(error) !== 'MODULE_NOT_FOUND') throw error;
  }
  throw new Failure('configuration', `a queue needs ${problem}`, { hint });
}

/**
 * Loads BullMQ and ioredis from where `program` finds them: beside natter, or in `NODE_PATH`. Never from the current
 * folder, whose files may be a stranger's.
 * @param program path of the file in whose folder, and the folders above, `node_modules` is searched
 * @throws Failure `configuration`
 */
export function loadLibraries(program: string = import.meta.filename): Libraries {
  const require = createRequire(program);
  const queue = loadFrom(require, 'bullmq');
  // BullMQ may have its own ioredis, in the folder of its package.
  const redis = loadFrom(createRequire(require.resolve('bullmq')), 'ioredis');
  // Both are checked only by their versions: their own types are not installed.
  return { queue: queue as QueueModule, redis: redis as Libraries['redis'] };
}
