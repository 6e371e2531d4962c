import type { QueueWorker } from '../../../batch/queue/batch-queue.ts';
import { createHandOver, type HandedJob } from '../../../batch/queue/hand-over.ts';
import { runItems } from '../../../batch/run-items.ts';
import { Failure } from '../../../failure.ts';
import type { Notices } from '../../../output/notices.ts';
import { errorCode } from '../../../storage/storage-failure.ts';
import { showProgress } from '../report/show-progress.ts';
import type { Admission, Permission } from '../sending/admission.ts';
import { openAdmission } from '../sending/open-admission.ts';
import { type Stopping, watchStopping } from '../stopping.ts';
import { answerJob, type JobProcessing } from './answer-job.ts';
import { openJobs, type QueueWatch, watchQueue } from './watch-queue.ts';
import { processingOf, type Work } from './work.ts';
import { saveUnsaved, type WorkEnd } from './work-end.ts';

/** Milliseconds; a shorter pause concerns this worker only. */
const sharedPause = 2000;

/** Milliseconds after the last signal in which answers may still be stored; natter ends 500 ms after it. */
const lastChance = 200;

async function runJob(
  processing: JobProcessing,
  handed: HandedJob,
  permission: Permission,
): Promise<void> {
  const end = handed.start();
  let isAnswered = false;
  try {
    const outcome = await answerJob(processing, handed.job, permission);
    isAnswered = outcome.state === 'answered';
    end(outcome);
  } catch (error) {
    end({ state: 'returned' });
    throw error;
  } finally {
    permission.end(isAnswered, undefined);
  }
}

/** Reports an error of the queue, once. A lost lease or connection needs no words: BullMQ repeats both. */
export function refusedNotice(notices: Notices): (error: unknown) => void {
  const reported = new Set<string>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const isLost = errorCode(error) !== undefined || /lock|connection/i.test(message);
    if (isLost || reported.has(message)) return;
    reported.add(message);
    notices.warning(`the queue reports: ${message}`);
  };
}

/** Aborts `giveUp` some time after running requests were cancelled. @returns what cancels that */
function giveUpLater({ context: { clock }, giveUp }: Work, { cancel }: Stopping): () => void {
  const ended = new AbortController();
  const wait = async () => {
    try {
      await clock.sleep(lastChance, ended.signal);
      giveUp.abort();
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    }
  };
  const onCancel = () => void wait();
  cancel.addEventListener('abort', onCancel);
  return () => {
    cancel.removeEventListener('abort', onCancel);
    ended.abort();
  };
}

function startWatch(work: Work, { stop, fail }: Stopping, drained: AbortController): QueueWatch {
  const { queue, connection, context, options, giveUp } = work;
  return watchQueue({
    queue,
    connection,
    clock: context.clock,
    stop: AbortSignal.any([stop, drained.signal]),
    onDrained() {
      if (options.wait !== true) drained.abort();
    },
    onOutage() {
      const message = `the connection to ${connection.label} was lost for too long`;
      fail(new Failure('unreachable', message, { hint: 'start the queue again' }));
      giveUp.abort();
    },
  });
}

/** Milliseconds in which a connection that is not opened again ends. */
const endTime = 1500;

/** BullMQ cannot close a worker while its connection is lost, so this waits for it, or until it is given up. */
async function closeWorker(
  { connection, giveUp: { signal }, context: { clock } }: Work,
  worker: QueueWorker,
): Promise<void> {
  const restored = connection.restored();
  if (restored !== undefined) {
    const gaveUp = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve());
    });
    await Promise.race([restored, gaveUp.then(() => clock.sleep(endTime))]);
  }
  await worker.close();
}

/** Answers the jobs that BullMQ's worker receives; it returns those that have not started when `stop` aborts. */
async function answerJobs(
  work: Work,
  processing: JobProcessing,
  admission: Admission,
  stop: AbortSignal,
): Promise<void> {
  const { queue, plan, connection, presentation } = work;
  const handOver = createHandOver();
  const onError = refusedNotice(presentation.notices);
  const worker = queue.work({ concurrency: plan.concurrency, onError }, (job) =>
    handOver.give(job),
  );
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeWorker(work, worker));
  const onStop = () => void close();
  stop.addEventListener('abort', onStop);
  try {
    await runItems({
      items: (ended) => handOver.jobs(ended),
      admit: ({ job }, sequence, ended) => admission.admit(job.item, sequence, ended),
      stop,
      room: () => connection.restored(),
      work: (handed, _, permission) => runJob(processing, handed, permission),
    });
  } finally {
    await close();
  }
}

/** The queue limits the requests of all workers; tokens are limited here. */
function admitJobs({ plan, settings, queue, service }: Work, stop: AbortSignal): Admission {
  const { concurrency, tokens } = plan;
  const onPause = (wait: number) => {
    // The other workers would be refused, too. Without this pause they find out themselves.
    if (wait >= sharedPause) queue.pause(Math.ceil(wait)).catch(() => undefined);
  };
  const limited = { concurrency, rateLimits: { requests: undefined, tokens } };
  return openAdmission({ plan: limited, settings, onPause }, service, stop);
}

/** Answers items until none is left, or a signal or failure ends the run. */
export async function workThrough(work: Work): Promise<WorkEnd> {
  const { context, plan, queue, presentation, giveUp } = work;
  const { notices } = presentation;
  const stopping = watchStopping({
    context,
    notices,
    stopAfter: plan.stopAfter,
    broken: giveUp.signal,
    clear: () => progress.clear(),
  });
  giveUp.signal.addEventListener('abort', () => {
    saveUnsaved(work);
    // Commands of the worker would wait for a connection that may never return.
    work.connection.giveUp();
  });
  const drained = new AbortController();
  const stop = AbortSignal.any([stopping.stop, drained.signal]);
  const admission = admitJobs(work, stop);
  const watch = startWatch(work, stopping, drained);
  const isQuiet = work.options.quiet === true;
  const shown = { ...work, command: 'natter batch work', isQuiet, left: () => watch.left() };
  const progress = showProgress(shown, admission, stop);
  const cancelGivingUp = giveUpLater(work, stopping);
  try {
    await answerJobs(work, processingOf(work, stopping), admission, stop);
  } finally {
    drained.abort();
    cancelGivingUp();
    progress.end();
    stopping.end();
  }
  return {
    ...stopping,
    left: giveUp.signal.aborted ? watch.left() : openJobs(await queue.counts()),
  };
}
