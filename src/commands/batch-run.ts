import { type Concurrency, createConcurrency } from '../batch/concurrency.ts';
import { createGivingUp } from '../batch/giving-up.ts';
import { runItems } from '../batch/run-items.ts';
import { emptyTally, type Tally } from '../batch/tally.ts';
import type { Failure } from '../failure.ts';
import { type BatchProgress, createBatchProgress } from '../output/batch-progress.ts';
import { batchProgress } from '../output/batch-words.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { Interruption } from '../terminal/signals.ts';
import { batchFailure, outcomeText } from './batch-end.ts';
import { refuseSharedFiles } from './batch-files.ts';
import { openBatchInput } from './batch-input.ts';
import { type BatchItems, checkItems, pendingItems, selectItems } from './batch-items.ts';
import { type BatchPlan, planBatch } from './batch-plan.ts';
import { type BatchSink, openBatchSink } from './batch-sink.ts';
import { workItem } from './batch-work.ts';
import type { BatchOptions } from './batch.ts';
import type { Context } from './context.ts';
import { present, type Presentation } from './presentation.ts';
import { readRequestSettings } from './request-settings.ts';
import { openService, type Service } from './service.ts';

/** A run of `natter batch`, as far as it is decided before anything is sent. */
interface Run {
  readonly context: Context;
  readonly options: BatchOptions;
  readonly presentation: Presentation;
  readonly plan: BatchPlan;
  readonly settings: ResolvedSettings;
  readonly items: BatchItems;
  readonly sink: BatchSink;
  readonly tally: Tally;
}

/** Fewest failures in a row that mean that the service fails; more where more is asked at the same time. */
const leastFailuresInRow = 10;

/** Why a run begins nothing more. */
interface Stopping {
  isInterrupted: boolean;
  gaveUp: Failure | undefined;
}

/** The first Ctrl-C lets what is under way finish; the next ends natter as any other signal does. */
function stopOnInterrupt({ context, presentation }: Run, stop: () => void): () => void {
  const giveBack = context.device.onInterrupt(() => {
    giveBack();
    stop();
    presentation.notices.notice('finishing the answers under way; Ctrl-C again breaks them off');
  });
  return giveBack;
}

/** Shows how far the run is, until it is over. */
function showProgress(run: Run, concurrency: Concurrency, stop: AbortSignal): BatchProgress {
  const { context, presentation, tally, options } = run;
  const { clock, streams } = context;
  const { noticeStyle: style } = presentation;
  const animated = presentation.animated && options.quiet !== true;
  const progress = createBatchProgress({ stderr: streams.stderr, style, clock, animated });
  const start = clock.monotonic();
  progress.begin(() => {
    const state = { waiting: concurrency.waiting(), isStopping: stop.aborted };
    return batchProgress({ ...tally, elapsed: clock.monotonic() - start }, state);
  });
  return progress;
}

async function askAll(run: Run, service: Service): Promise<Stopping> {
  const { context, plan, settings, items, sink, tally, options } = run;
  const ending = new AbortController();
  const stop = AbortSignal.any([context.signal, ending.signal]);
  const stopping: Stopping = { isInterrupted: false, gaveUp: undefined };
  const concurrency = createConcurrency(plan.concurrency, context.clock);
  const progress = showProgress(run, concurrency, stop);
  const giveBack = stopOnInterrupt(run, () => {
    stopping.isInterrupted = true;
    ending.abort();
    progress.clear();
  });
  const giveUp = (failure: Failure) => {
    stopping.gaveUp ??= failure;
    ending.abort();
  };
  const { stream } = options;
  const { retryIncomplete } = plan;
  const longestWait = settings.values.retryMaxWait || Number.POSITIVE_INFINITY;
  const limits = { retryIncomplete, longestWait, stop, signal: context.signal };
  const asking = { ...service, settings, stream, ...limits, clock: context.clock };
  const isReplay = service.replayedFrom !== undefined;
  const most = Math.max(leastFailuresInRow, 2 * plan.concurrency);
  const givingUp = createGivingUp({ most, longestWait, isReplay });
  const work = { context, asking, sink, tally, givingUp, giveUp };
  try {
    await runItems({
      items: pendingItems(items, tally, stop),
      concurrency,
      stop,
      room: () => sink.room(),
      work: (item, sequence, slot) => workItem(work, item, sequence, slot),
    });
  } finally {
    progress.end();
    giveBack();
  }
  return stopping;
}

/** Tells what the run came to. @throws what it failed with, or was ended by */
function conclude(run: Run, { gaveUp, isInterrupted }: Stopping, elapsed: number): void {
  const { context, presentation, tally, options } = run;
  const end = { tally, elapsed, output: options.output, gaveUp };
  if (isInterrupted || context.signal.aborted) {
    const goesOn = options.output === undefined ? '' : '; the same command goes on from there';
    presentation.notices.notice(`stopped: ${outcomeText(end)}${goesOn}`);
    context.signal.throwIfAborted();
    throw new Interruption('SIGINT');
  }
  const failure = batchFailure(end);
  if (failure !== undefined) throw failure;
  presentation.notices.notice(outcomeText(end));
}

async function send(run: Run): Promise<void> {
  const { context, presentation, options, settings, sink, tally } = run;
  await checkItems(run.items, tally, sink.last, context.signal);
  const service = await openService(context, presentation, options, settings);
  const start = context.clock.monotonic();
  try {
    const stopping = await askAll(run, service);
    await sink.finish();
    conclude(run, stopping, context.clock.monotonic() - start);
  } finally {
    await service.close();
  }
}

/**
 * Runs `natter batch [file]`.
 * @throws Failure; an Interruption after Ctrl-C; or the reason `context.signal` was aborted with
 */
export async function runBatch(
  context: Context,
  options: BatchOptions,
  file: string | undefined,
): Promise<void> {
  const presentation = present(context, options);
  const { notices } = presentation;
  const plan = planBatch(options, file);
  const settings = readRequestSettings(context, notices, options);
  const input = openBatchInput(context, notices, file);
  refuseSharedFiles(options, file, context.environment);
  if (options.dryRun === true) {
    const { printBatchDryRun } = await import('./batch-dry-run.ts');
    return printBatchDryRun({ context, options, settings, items: { input, plan, notices } });
  }
  const sink = openBatchSink(context, options);
  const selection = selectItems(plan, settings, options.output, (index) => sink.find(index));
  const items = { input, plan, selection, notices };
  try {
    const tally = emptyTally();
    await send({ context, options, presentation, plan, settings, items, sink, tally });
  } finally {
    await sink.close();
  }
}
