import { type AnswerCheck, openCheck } from '../../../ask/check.ts';
import { isTransient } from '../../../batch/circuit-breaker.ts';
import type { BatchHeader, BatchQueue, QueueConnection } from '../../../batch/queue/batch-queue.ts';
import { createHandOver, type HandedJob } from '../../../batch/queue/hand-over.ts';
import { emptyTally } from '../../../batch/tally.ts';
import { undiciNetwork } from '../../../client/http/undici-network.ts';
import { planSending, type SendingPlan, type SendingRun } from '../plan.ts';
import {
  type Connect,
  connectToQueue,
  findBatch,
  lostBatch,
  type WorkOptions,
} from './open-queue.ts';
import {
  createResultKeeper,
  openJobs,
  type QueueWatch,
  refusedNotice,
  type ResultKeeper,
  saveResults,
  watchQueue,
} from './watch-queue.ts';
import { refuseUnwritableSummary, reportEnd } from '../report/reporting.ts';
import { batchOutcome } from '../report/show-progress.ts';
import { type Ending, kindOf, repeatedText } from '../report/summary.ts';
import { runId } from '../run.ts';
import { openGuard } from '../secret-guard.ts';
import { type ItemEnd, type ItemSource, runUntilEnd, type SendItems } from '../sending/pipeline.ts';
import type { Stopping } from '../stopping.ts';
import type { Context, Run } from '../../../run.ts';
import { startRun, readSettings } from '../../../settings/read-settings.ts';
import { openService } from '../../../ask/service.ts';
import { Failure, type FailureKind } from '../../../failure.ts';
import { count } from '../../../output/figures.ts';
import type { Notices } from '../../../output/notices.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { Interruption } from '../../../terminal/device/signals.ts';

/** Milliseconds; a shorter pause concerns this worker only. */
const sharedPause = 2000;
/** Milliseconds after the last signal in which answers may still be stored; natter ends 500 ms after it. */
const lastChance = 200;
/** Milliseconds in which a connection that is not opened again ends. */
const endTime = 1500;

/** A worker's place in a queue. */
interface WorkPlace {
  readonly connection: QueueConnection;
  readonly queue: BatchQueue;
  readonly watch: QueueWatch;
  readonly keeper: ResultKeeper;
  /** Aborting it gives up storing results in the queue. */
  readonly giveUp: AbortController;
}

/** A run of `natter batch work`. */
interface Work extends SendingRun, WorkPlace {
  readonly options: WorkOptions;
  /** The name of the batch's input. */
  readonly input: string;
}

/** A worker's own service and limits, with the request options of the batch. */
function batchSettings(own: ResolvedSettings, header: BatchHeader): ResolvedSettings {
  const { model, system, maxTokens } = header;
  const source = { kind: 'default', name: 'the batch' } as const;
  const params = Object.entries(header.params).map(([name, value]) => [name, { value, source }]);
  return {
    ...own,
    values: { ...own.values, model, system, maxTokens, fallback: undefined },
    params: Object.fromEntries(params) as ResolvedSettings['params'],
  };
}

/** The check that was submitted with the batch; undefined if answers are not checked. */
async function batchCheck(
  notices: Notices,
  { check }: BatchHeader,
): Promise<AnswerCheck | undefined> {
  if (check === undefined) return undefined;
  const { schema, retries, select } = check;
  const own = schema === undefined ? undefined : { text: schema, label: 'the schema of the batch' };
  const limit = schema === undefined ? {} : { schemaRetries: String(retries) };
  return openCheck(notices, { ...limit, ...(select === undefined ? {} : { select }) }, own);
}

/** A cut answer has been paid for, so only a new submission asks again. */
const isRetried = (failure: Failure) => isTransient(failure) && failure.kind !== 'incomplete';

/** The jobs that BullMQ's worker receives. */
function jobSource(
  { queue, connection, keeper }: Work,
  jobs: (ended: AbortSignal) => AsyncIterable<readonly HandedJob[]>,
): ItemSource<HandedJob> {
  return {
    items: jobs,
    room: () => connection.restored(),
    async take({ job, start, end }) {
      start();
      try {
        // A worker that was killed may have answered it.
        const isAnswered = job.starts > 1 && (await queue.hasAnswer(job.item.index));
        if (isAnswered) end({ state: 'answered' });
        return isAnswered;
      } catch (error) {
        end({ state: 'returned' });
        throw error;
      }
    },
    triesAgain: ({ job }, { failure, isStopped }) =>
      isStopped || (failure !== undefined && isRetried(failure) && !job.isLastAttempt),
    async end({ index, end }, _, { line, failure, isStopped, isStarved }: ItemEnd) {
      // The other workers would be refused, too. Without this pause they find out themselves.
      const pause = isStarved ? (failure?.retryAfterSeconds ?? 0) * 1000 : 0;
      if (pause > 0) queue.pause(pause).catch(() => undefined);
      if (line !== undefined) {
        await keeper.put({ index, isAnswered: failure === undefined, line: line.trimEnd() });
      }
      // A different worker can answer it; its text is kept meanwhile.
      if (isStopped || line === undefined) return end({ state: 'returned' });
      if (failure === undefined) return end({ state: 'answered' });
      end({ state: isRetried(failure) ? 'transient' : 'failed', kind: failure.kind });
    },
  };
}

/** BullMQ cannot close a worker while its connection is lost, so this waits for it, or until it is given up. */
async function connectionEnd({ connection, giveUp: { signal }, context }: Work): Promise<void> {
  const restored = connection.restored();
  if (restored === undefined) return;
  const gaveUp = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
  await Promise.race([restored, gaveUp.then(() => context.clock.sleep(endTime))]);
}

/** Calls `act` a little after running requests were cancelled, unless `ended` aborts. */
function afterCancel(
  { context: { clock } }: Work,
  { cancel }: Stopping,
  ended: AbortSignal,
  act: () => void,
): void {
  const wait = async () => {
    try {
      await clock.sleep(lastChance, ended);
      act();
    } catch (error) {
      if (!ended.aborted) throw error;
    }
  };
  cancel.addEventListener('abort', () => void wait(), { signal: ended });
}

/** Answers jobs until none is left, or the run stops; those that have not started then return to the queue. */
async function answerJobs(work: Work, send: SendItems, stopping: Stopping): Promise<void> {
  const { queue, plan, presentation, connection, watch, giveUp, options } = work;
  const { stop, fail } = stopping;
  const ended = new AbortController();
  const handOver = createHandOver();
  const onError = refusedNotice(presentation.notices);
  const worker = queue.work({ concurrency: plan.concurrency, onError }, (job) =>
    handOver.give(job),
  );
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= connectionEnd(work).then(() => worker.close()));
  stop.addEventListener('abort', () => void close(), { signal: ended.signal });
  afterCancel(work, stopping, ended.signal, () => giveUp.abort());
  watch.start({
    stop: AbortSignal.any([stop, ended.signal]),
    onDrained() {
      if (options.wait !== true) ended.abort();
    },
    onOutage() {
      const message = `the connection to ${connection.label} was lost for too long`;
      fail(new Failure('unreachable', message, { hint: 'start the queue again' }));
      giveUp.abort();
    },
  });
  try {
    await send(jobSource(work, (own) => handOver.jobs(AbortSignal.any([own, ended.signal]))));
  } finally {
    await close();
    ended.abort();
  }
}

/** Writes results that the queue does not have into a file of the current folder. */
function saveUnsaved({ keeper, queue, presentation }: Work): void {
  const results = keeper.unsaved();
  if (results.length === 0) return;
  const file = `${queue.name}-unsaved.jsonl`;
  saveResults(file, results);
  const what = results.length === 1 ? '1 result' : `${count(results.length)} results`;
  presentation.notices.warning(
    `${what} could not be stored in the queue and went into ${file}; natter batch merge adds them to collected results`,
  );
}

const again = 'natter batch submit lets failed items wait again; then run natter batch work';
const rest = 'run natter batch work again for the rest';

/** What a worker reports at its end, with its exit code. @param left items without a result; undefined if unknown */
function endingOf(
  { context, tally }: Work,
  stopping: Stopping,
  elapsed: number,
  left: number | undefined,
): Ending {
  const [cause, failure] = [stopping.cause(), stopping.failure()];
  const others = left === undefined || left === 0 ? '' : `, ${count(left)} left in the queue`;
  const outcome = `${batchOutcome({ ...tally, elapsed })}${others}`;
  const stoppedBy = cause ?? (failure === undefined ? null : 'failure');
  const ended = { elapsed, stoppedBy, left };
  const failed = (kind: FailureKind, message: string, hint: string): Ending => {
    return { ...ended, notice: undefined, error: new Failure(kind, message, { hint }) };
  };
  if (cause === 'SIGINT' || context.signal.aborted) {
    const reason: unknown = context.signal.reason;
    const error = context.signal.aborted ? reason : new Interruption('SIGINT');
    return { ...ended, notice: `stopped: ${outcome}`, error };
  }
  if (failure !== undefined) {
    const hint = failure.hint === undefined ? rest : `${failure.hint}; ${rest}`;
    const message = `${outcome}; stopped because further items would fail too: ${failure.message}`;
    return failed(kindOf(tally, failure), message, hint);
  }
  if (cause !== undefined && left !== 0) {
    return failed('unfinished', `stopped by ${cause}: ${outcome}`, rest);
  }
  if (tally.failed > 0) {
    const repeated = repeatedText(tally);
    const hint = repeated === undefined ? again : `${again}; ${repeated}`;
    return failed(kindOf(tally, undefined), outcome, hint);
  }
  return { ...ended, notice: outcome, error: undefined };
}

async function workAndReport(work: Work): Promise<void> {
  const { context, queue, watch, giveUp, connection, input } = work;
  const begin = context.clock.date();
  giveUp.signal.addEventListener('abort', () => {
    saveUnsaved(work);
    // Commands of the worker would wait for a connection that may never return.
    connection.giveUp();
  });
  const ending = await runUntilEnd(
    work,
    (...sending) => answerJobs(work, ...sending),
    async (stopping, elapsed) => {
      const left = giveUp.signal.aborted ? watch.left() : openJobs(await queue.counts());
      return endingOf(work, stopping, elapsed(), left);
    },
  );
  reportEnd(work, { input, output: null, shard: null, begin, batch: queue.name }, ending);
}

/** Opens the service, and answers the items of a batch. */
async function workOn(
  run: Run<WorkOptions>,
  sending: SendingPlan,
  connection: QueueConnection,
): Promise<void> {
  const { context, options, presentation } = run;
  const { notices } = presentation;
  const queue = await findBatch(connection, options);
  const header = await queue.header();
  if (header === undefined) throw lostBatch(queue.name);
  // The queue limits the requests of all workers; tokens are limited here.
  const { requests, tokens } = sending.rateLimits;
  const plan = { ...sending, rateLimits: { requests: undefined, tokens } };
  const check = await batchCheck(notices, header);
  const asked = batchSettings(run.settings, header);
  const settings = check?.settings(asked) ?? asked;
  const working = { ...run, settings };
  const source = { command: 'batch work', batch: runId(context) };
  const network = { network: undiciNetwork };
  const service = await openService(working, source, network);
  const { clock } = context;
  const giveUp = new AbortController();
  const watch = watchQueue(queue, connection, clock);
  try {
    const guard = openGuard(working);
    if (requests !== undefined) await queue.setRate(requests);
    await workAndReport({
      ...run,
      command: 'natter batch work',
      plan,
      settings,
      service,
      check,
      guard: await guard.forRequests(),
      stream: header.stream,
      tally: emptyTally(),
      left: () => watch.left(),
      onPause(wait) {
        // The other workers would be refused, too. Without this pause they find out themselves.
        if (wait >= sharedPause) queue.pause(Math.ceil(wait)).catch(() => undefined);
      },
      broken: giveUp.signal,
      input: header.input,
      connection,
      queue,
      watch,
      keeper: createResultKeeper(queue, clock, giveUp.signal, refusedNotice(notices)),
      giveUp,
    });
  } finally {
    await service.close();
  }
}

/** Runs `natter batch work`. @throws Failure; an Interruption after Ctrl+C */
export async function workBatch(
  context: Context,
  options: WorkOptions,
  connect: Connect = connectToQueue,
): Promise<void> {
  const run = await startRun(context, options, readSettings);
  const { notices } = run.presentation;
  const plan = planSending(options);
  if (options.summary !== undefined) refuseUnwritableSummary(options.summary);
  const connection = await connect(context, notices, options);
  try {
    await workOn(run, plan, connection);
  } finally {
    await connection.close();
  }
}
