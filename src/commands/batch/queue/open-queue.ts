import { checkBatchName, type BatchQueue } from '../../../batch/queue/redis-queue.ts';
import type { BatchOptions, SendingOptions } from '../plan.ts';
import { connectQueue, queueAddress, type QueueConnection } from '../../../batch/queue/connect.ts';
import { loadLibraries } from '../../../batch/queue/library.ts';
import type { Context, GlobalOptions } from '../../../run.ts';
import { Failure } from '../../../failure.ts';
import type { Notices } from '../../../output/notices.ts';

/** Options of every command for a queue. */
export interface QueueOptions extends GlobalOptions {
  readonly queue?: string;
  readonly batch?: string;
}

/** Numbers are unparsed text. */
export interface SubmitOptions extends BatchOptions, QueueOptions {
  readonly attempts: string;
}

export interface WorkOptions extends QueueOptions, SendingOptions {
  readonly wait?: boolean;
}

export interface CollectOptions extends QueueOptions {
  readonly output?: string;
  readonly unordered?: boolean;
  readonly remove?: boolean;
  /** Removes also a batch with items that have no result. */
  readonly force?: boolean;
}

/** Connects to the queue that the options or the environment name; tests pass their own. @throws Failure */
export async function connectToQueue(context: Context, notices: Notices, { queue }: QueueOptions) {
  // This comes before the packages are loaded: it refuses a password in the command line.
  const address = queueAddress(queue, context);
  return connectQueue(loadLibraries(), address, notices);
}

export type Connect = typeof connectToQueue;

/** The failure for a batch that is not in the queue. */
export function noBatch(message: string): Failure {
  return new Failure('not_found', message, {
    hint: '‹natter batch submit prompts.txt --queue …› puts prompts into the queue',
  });
}

/**
 * The batch that `--batch` names, else the only one in the queue.
 * @throws Failure `not_found`, or `usage` if there are several
 */
export async function findBatch(
  connection: QueueConnection,
  { batch }: QueueOptions,
): Promise<BatchQueue> {
  const names = await connection.batches();
  if (batch !== undefined) {
    const name = checkBatchName(batch);
    if (names.includes(name)) return connection.open(name);
    const others = names.length === 0 ? '' : `; it has ${names.join(', ')}`;
    throw noBatch(`the queue at ${connection.label} has no batch ${name}${others}`);
  }
  const [only, ...others] = names;
  if (only === undefined) throw noBatch(`the queue at ${connection.label} has no batch`);
  if (others.length === 0) return connection.open(only);
  throw new Failure('usage', `the queue at ${connection.label} has several batches`, {
    hint: `choose one with --batch: ${names.join(', ')}`,
  });
}
