import { setMaxListeners } from 'node:events';
import fs from 'node:fs';
import { aborted } from 'node:util';
import { openCheck } from '../../../ask/check.ts';
import type {
  JobOutcome,
  QueuedResult,
  QueueJob,
  BatchQueue,
} from '../../../batch/queue/redis-queue.ts';
import type { QueueConnection } from '../../../batch/queue/connect.ts';
import { countFailure, emptyTally, isTransient } from '../../../batch/tally.ts';
import { undiciNetwork } from '../../../client/http/undici-network.ts';
import { planSending, type SendingRun } from '../plan.ts';
import { type Connect, connectToQueue, findBatch, noBatch, type WorkOptions } from './queue-run.ts';
import { refuseUnwritableSummary } from '../report/ending.ts';
import { runId } from '../run.ts';
import { openGuard } from '../items.ts';
import { type Pipeline, runAndReport } from '../sending/pipeline.ts';
import type { StartedRun } from '../../../run.ts';
import { readSettings, withSettings } from '../../../settings/read-settings.ts';
import { openService, type Service } from '../../../ask/service.ts';
import { Failure } from '../../../failure.ts';
import { definedFields } from '../../../json.ts';
import { count, countOf } from '../../../output/figures.ts';
import type { Notices } from '../../../output/notices.ts';
import { withValues } from '../../../settings/resolved-settings.ts';
import { errorCode, storageFailure } from '../../../storage/storage-failure.ts';

/** Milliseconds; a shorter pause concerns this worker only. */
const sharedPause = 2000;
/** Milliseconds after the last signal in which answers may still be stored; natter ends 500 ms after it. */
const lastChance = 200;
/** Milliseconds in which a connection that is not opened again ends. */
const endTime = 1500;
/** Milliseconds between two counts of the jobs. */
const interval = 500;
/** Milliseconds without a connection after which a worker gives up. */
const longestOutage = 600_000;
/** Milliseconds before a result is stored again. */
const pause = 1000;

interface Work extends SendingRun {
  readonly options: WorkOptions;
  readonly connection: QueueConnection;
  readonly queue: BatchQueue;
  /** Results that the queue does not have yet. */
  readonly unsaved: Set<QueuedResult>;
  /** Aborting it gives up storing results in the queue. */
  readonly giveUp: AbortController;
  readonly onQueueError: (error: unknown) => void;
}

/** Reports an error of the queue, once. A lost lease or connection needs no words: BullMQ repeats both. */
function reportErrors(notices: Notices): Work['onQueueError'] {
  const reported = new Set<string>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const isLost = errorCode(error) !== undefined || /lock|connection/i.test(message);
    if (isLost || reported.has(message)) return;
    reported.add(message);
    notices.warning(`the queue reports: ${message}`);
  };
}

/** Stores a result in the queue, and tries it again while that is refused. Ends also when `giveUp` aborts. */
async function storeResult(work: Work, result: QueuedResult): Promise<void> {
  const { queue, unsaved, onQueueError, context } = work;
  const { signal } = work.giveUp;
  const store = async () => {
    while (!signal.aborted) {
      try {
        await queue.putResult(result);
        unsaved.delete(result);
        return;
      } catch (error) {
        if (!signal.aborted) onQueueError(error);
        await context.clock.sleep(pause);
      }
    }
  };
  unsaved.add(result);
  await Promise.race([store(), aborted(signal, result)]);
}

/** A cut answer has been paid for, so only a new submission asks again. */
const isRetried = (failure: Failure) => isTransient(failure) && failure.kind !== 'incomplete';

/** Answers a job, and says how it ended. */
async function answerJob(
  work: Work,
  { admit, answer }: Pipeline,
  { item, starts, isLastAttempt }: QueueJob,
): Promise<JobOutcome> {
  const { queue, tally } = work;
  const { index } = item;
  // A worker that was killed may have answered it.
  if (starts > 1 && (await queue.hasAnswer(index))) return { state: 'answered' };
  const permission = await admit(item);
  if (permission === undefined) return { state: 'returned' };
  const { line, failure, isStopped, isStarved } = await answer(item, permission);
  // The other workers would be refused, too. Without this pause they find out themselves.
  const wait = isStarved ? (failure?.retryAfterSeconds ?? 0) * 1000 : 0;
  if (wait > 0) queue.pause(wait).catch(() => undefined);
  if (line === undefined) return { state: 'returned' };
  const isAnswered = failure === undefined;
  const triesAgain = isStopped || (!isAnswered && isRetried(failure) && !isLastAttempt);
  if (!isAnswered && !triesAgain) countFailure(tally, failure, item);
  await storeResult(work, { index, isAnswered, line: line.trimEnd() });
  // A different worker can answer it; its text is kept meanwhile.
  if (isStopped) return { state: 'returned' };
  if (isAnswered) return { state: 'answered' };
  return { state: isRetried(failure) ? 'transient' : 'failed', kind: failure.kind };
}

/** Items that a worker has or will get. */
async function countJobs(queue: BatchQueue): Promise<number> {
  const { waiting, active, delayed } = await queue.counts();
  return waiting + active + delayed;
}

/** Answers jobs until none is left, or the run stops; those that have not started then return to the queue. */
async function answerJobs(work: Work, pipeline: Pipeline): Promise<void> {
  const { queue, plan, connection, giveUp, tally, options, context } = work;
  const { stop, cancel, fail, crash } = pipeline.stopping;
  const { clock } = context;
  const run = async (job: QueueJob): Promise<JobOutcome> => {
    try {
      return await answerJob(work, pipeline, job);
    } catch (error) {
      crash(error);
      return { state: 'returned' };
    }
  };
  const closeWorker = queue.work(plan.concurrency, work.onQueueError, run);
  let endChance = (): void => undefined;
  const giveUpSoon = () => (endChance = clock.timer(lastChance, () => giveUp.abort()));
  cancel.addEventListener('abort', giveUpSoon);
  const drained = new AbortController();
  /** While the connection is lost, a count may never return. */
  let isCounting = false;
  const recount = async () => {
    isCounting = true;
    // The connection was closed meanwhile, or the queue refuses all commands; the next count shows whether it lasts.
    tally.queued = await countJobs(queue).catch(() => undefined);
    isCounting = false;
    if (tally.queued === 0 && options.wait !== true) drained.abort();
  };
  let lostAt: number | undefined;
  const endWatch = clock.repeat(interval, () => {
    const now = clock.monotonic();
    lostAt = connection.restored() === undefined ? undefined : (lostAt ?? now);
    if (lostAt !== undefined && now - lostAt >= longestOutage) {
      const message = `the connection to ${connection.label} was lost for too long`;
      fail(new Failure('unreachable', message, { hint: 'start the queue again' }));
      giveUp.abort();
    } else if (lostAt === undefined && !isCounting) void recount();
  });
  // `aborted` keeps only one listener alive for each object.
  await Promise.race([aborted(drained.signal, drained), aborted(stop, work)]);
  endWatch();
  // BullMQ cannot close a worker while its connection is lost.
  const gaveUp = aborted(giveUp.signal, work).then(() => clock.sleep(endTime));
  await Promise.race([connection.restored(), gaveUp]);
  await closeWorker();
  cancel.removeEventListener('abort', giveUpSoon);
  endChance();
}

/** Writes results that the queue does not have into a file of the current folder. @throws Failure `storage` */
function saveUnsaved({ unsaved, queue, presentation }: Work): void {
  if (unsaved.size === 0) return;
  const file = `${queue.name}-unsaved.jsonl`;
  try {
    fs.appendFileSync(file, [...unsaved].map(({ line }) => `${line}\n`).join(''));
  } catch (error) {
    throw storageFailure('write', file, error);
  }
  presentation.notices.warning(
    `${countOf(unsaved.size, 'result')} could not be stored in the queue and went into ${file}; ‹natter batch merge› adds them to collected results`,
  );
}

/** Runs `natter batch work`. @throws Failure; an Interruption after Ctrl+C */
export async function workBatch(
  started: StartedRun<WorkOptions>,
  connect: Connect = connectToQueue,
): Promise<void> {
  const run = withSettings(started, readSettings);
  const { context, options } = run;
  const { notices } = run.presentation;
  const { rateLimits, ...plan } = planSending(options);
  if (options.summary !== undefined) refuseUnwritableSummary(options.summary);
  const connection = await connect(context, notices, options);
  let service: Service | undefined;
  try {
    const queue = await findBatch(connection, options);
    const header = await queue.header();
    // The batch was removed meanwhile.
    if (header === undefined) throw noBatch(`the queue has no batch ${queue.name} any more`);
    const { schema, retries, select } = header.check ?? {};
    const check = await openCheck(
      notices,
      definedFields({ select, schemaRetries: schema === undefined ? undefined : String(retries) }),
      schema === undefined ? undefined : { text: schema, label: 'the schema of the batch' },
    );
    const { model, system, maxTokens } = header;
    const origin = { kind: 'default', name: 'the batch' } as const;
    const params = Object.entries(header.params).map(([name, value]) => {
      return [name, { value, source: origin }] as const;
    });
    // A worker has its own service and limits.
    const asked = {
      ...withValues(run.settings, { model, system, maxTokens, fallback: undefined }),
      params: Object.fromEntries(params),
    };
    const working = { ...run, settings: check?.settings(asked) ?? asked };
    const source = { command: 'batch work', batch: runId(context) };
    service = await openService(working, source, { network: undiciNetwork });
    const giveUp = new AbortController();
    // Each result that is being stored has a listener.
    setMaxListeners(0, giveUp.signal);
    const tally = emptyTally();
    const guard = await openGuard(working).forRequests();
    // The queue limits the requests of all workers; tokens are limited here.
    if (rateLimits.requests !== undefined) await queue.setRate(rateLimits.requests);
    const work: Work = {
      ...working,
      command: 'natter batch work',
      plan: { ...plan, rateLimits: { ...rateLimits, requests: undefined } },
      service,
      check,
      guard,
      stream: header.stream,
      stopsStarved: false,
      tally,
      onPause(wait) {
        // The other workers would be refused, too. Without this pause they find out themselves.
        if (wait >= sharedPause) queue.pause(wait).catch(() => undefined);
      },
      broken: giveUp.signal,
      connection,
      queue,
      unsaved: new Set(),
      giveUp,
      onQueueError: reportErrors(notices),
    };
    giveUp.signal.addEventListener('abort', () => {
      saveUnsaved(work);
      // Commands of the worker would wait for a connection that may never return.
      connection.giveUp();
    });
    const names = { input: header.input, output: null, shard: null, batch: queue.name };
    const answerAll = (pipeline: Pipeline) => answerJobs(work, pipeline);
    await runAndReport(work, names, answerAll, async () => {
      const left = giveUp.signal.aborted ? tally.queued : await countJobs(queue);
      return {
        left,
        leftText: left ? `, ${count(left)} left in the queue` : '',
        rest: 'run ‹natter batch work› again for the rest',
        retry: '‹natter batch submit› lets failed items wait again; then run ‹natter batch work›',
      };
    });
  } finally {
    await service?.close();
    await connection.close();
  }
}
