import type {
  JobOutcome,
  QueueJob,
  QueueWorker,
  QueuedItem,
  WorkerOptions,
} from '../../../batch/queue/batch-queue.ts';
import type { LibraryJob, QueueModule, RedisClient } from './library.ts';

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
export function startWorker(
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
