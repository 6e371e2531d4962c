import { createCircuitBreaker } from '../../batch/circuit-breaker.ts';
import { runItems } from '../../batch/run-items.ts';
import { emptyTally, itemsLeft, type Tally } from '../../batch/tally.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { limitsOfRun } from '../../usage/budget.ts';
import type { Context } from '../program/context.ts';
import { type Run, startRun } from '../program/run.ts';
import { refuseReservedName } from '../program/named-file.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { openService, type Service } from '../service/service.ts';
import type { Admission } from './sending/admission.ts';
import { openBatchCheck } from './answer-check.ts';
import { type Ending, endingOf } from './report/ending.ts';
import { type BatchItems, checkItems, openBatchInput, pendingItems, selectItems } from './items.ts';
import { maxWaitOf, openAdmission, pauseNotice } from './sending/open-admission.ts';
import { type BatchOptions, type BatchPlan, planBatch, resultsFileOf } from './plan.ts';
import { type ItemProcessing, processItem } from './sending/process-item.ts';
import { refuseRounds, runRounds } from './sending/rounds.ts';
import { printProgress, reportEnd } from './report/reporting.ts';
import { showProgress } from './report/show-progress.ts';
import { runId } from './run-id.ts';
import { refuseSharedFiles } from './shared-files.ts';
import { type BatchSink, openBatchSink } from './output/sink.ts';
import { type BatchFallback, openFallback } from './sending/fallback.ts';
import type { SendOptions } from './sending/send-item.ts';
import { truncatedResult } from './sending/truncation.ts';
import { type Stopping, watchStopping } from './stopping.ts';
import { refuseUnwritableSummary } from './report/summary-file.ts';

/** A run of `natter batch` before anything is sent. */
interface BatchRun extends Run<BatchOptions> {
  readonly plan: BatchPlan;
  readonly settings: ResolvedSettings;
  readonly items: BatchItems;
  readonly sink: BatchSink;
  readonly tally: Tally;
  readonly guard: SendOptions['guard'];
}

type UncheckedRun = Omit<BatchRun, 'guard'>;

/** Minimum consecutive failures that stop a run; more with higher concurrency. */
const minFailures = 10;

function rulesOf(
  { context, options, plan, settings, items: { check }, tally, guard }: BatchRun,
  service: Service,
  { stop, cancel }: Stopping,
) {
  const { stream } = options;
  const { retryIncomplete } = plan;
  const limits = { retryIncomplete, stop, signal: cancel };
  const isReplay = service.replayedFrom !== undefined;
  const most = Math.max(minFailures, 2 * plan.concurrency);
  return {
    sending: { ...service, settings, stream, ...limits, guard, check, clock: context.clock },
    isStrict: options.strict === true,
    circuitBreaker: createCircuitBreaker({
      most,
      maxWait: maxWaitOf(settings),
      isReplay,
      mostAlike: options.keepGoing === true ? Infinity : most,
      hasAnswers: () => tally.already > 0,
    }),
  };
}

/** Sends what has no answer, and failed items again. */
async function sendPending(
  { plan, items, sink, tally, presentation }: BatchRun,
  processing: ItemProcessing,
  admission: Admission,
  stop: AbortSignal,
): Promise<void> {
  await runRounds(plan.rerunFailed, tally, presentation.notices, stop, () =>
    runItems({
      items: (ended) => sink.admit(pendingItems(items, tally, ended)),
      admit: (...next) => admission.admit(...next),
      stop,
      room: () => sink.room(),
      work: (...next) => processItem(processing, ...next),
    }),
  );
}

async function sendAll(run: BatchRun, service: Service): Promise<Stopping> {
  const { context, presentation, plan, sink, tally } = run;
  const stopping = watchStopping({
    context,
    notices: presentation.notices,
    stopAfter: plan.stopAfter,
    broken: sink.broken,
    clear: () => progress.clear(),
  });
  const { stop } = stopping;
  const onPause = pauseNotice(presentation);
  const left = () => itemsLeft(tally);
  const sources = { plan, settings: run.settings, left, onPause };
  const admission = openAdmission(sources, service, stop);
  const isQuiet = run.options.quiet === true || run.options.progressJson === true;
  const shown = { ...run, command: 'natter batch', isQuiet };
  const progress = showProgress(shown, admission, stop);
  const endPrinting = printProgress(run, () => admission.places.pauseRemaining());
  const stopRun = stopping.fail;
  const rules = rulesOf(run, service, stopping);
  const warn = (text: string) => {
    progress.clear();
    presentation.notices.warning(text);
  };
  let fallback: BatchFallback | undefined;
  try {
    fallback = openFallback({ ...run, service, sending: rules.sending, warn });
    const counted = { secrets: context.secrets, sink, tally, stopRun };
    const warnTruncated = (text: string) => warn(truncatedResult(text));
    const processing = { ...counted, fallback, warnTruncated, ...rules };
    await sendPending(run, processing, admission, stop);
  } finally {
    progress.end();
    await fallback?.close();
    endPrinting();
    stopping.end();
  }
  return stopping;
}

async function runUntilEnd(run: BatchRun, service: Service): Promise<Ending> {
  const { clock } = run.context;
  const start = clock.monotonic();
  try {
    const stopping = await sendAll(run, service);
    await run.sink.finish(itemsLeft(run.tally) === 0, run.items.selection.takes);
    return endingOf(run, stopping, clock.monotonic() - start);
  } catch (error) {
    return { elapsed: clock.monotonic() - start, stoppedBy: null, notice: undefined, error };
  }
}

/** @throws Failure `secrets` if the input may not be sent */
async function openGuard(run: UncheckedRun): Promise<SendOptions['guard']> {
  const { guardBatch } = await import('./secret-guard.ts');
  return guardBatch(run);
}

async function send(run: UncheckedRun): Promise<void> {
  const { context, presentation, plan, options, settings, items, sink, tally } = run;
  await checkItems(items, tally, sink.last, context.signal);
  const guard = await openGuard(run);
  const { output = null } = options;
  const source = {
    command: 'batch',
    batch: runId(context),
    limits: limitsOfRun(plan.limits, settings),
    costs: tally.costs,
  };
  const service = await openService(context, presentation, options, settings, source, {
    network: undiciNetwork,
    writesFile: output !== null,
  });
  const { shard } = plan;
  const names = {
    input: items.input.name,
    output,
    shard: shard === undefined ? null : `${shard.number}/${shard.count}`,
    begin: context.clock.date(),
  };
  try {
    reportEnd(run, names, await runUntilEnd({ ...run, guard }, service));
  } finally {
    await service.close();
  }
}

/** @throws Failure; an Interruption after Ctrl+C; or the reason `context.signal` was aborted with */
export async function runBatch(
  context: Context,
  options: BatchOptions,
  file: string | undefined,
): Promise<void> {
  const run = await startRun(context, options);
  const { notices } = run.presentation;
  const plan = planBatch(options, file, context.environment);
  const own = readRequestSettings(context, notices, options);
  const { check, settings } = await openBatchCheck(notices, options, own);
  const input = openBatchInput(context.streams.stdin, notices, file);
  refuseRounds(plan.rerunFailed, options.output, input);
  if (options.output !== undefined) refuseReservedName(options.output, context.platform);
  refuseSharedFiles(options, file, context.environment);
  if (options.summary !== undefined) refuseUnwritableSummary(options.summary);
  if (options.dryRun === true) {
    const { printBatchDryRun } = await import('./dry-run.ts');
    const items = { input, plan, check, notices };
    return printBatchDryRun({ context, options, settings, items });
  }
  const sink = await openBatchSink(context, notices, options, { input, plan });
  try {
    const find = (index: number) => sink.find(index);
    const output = resultsFileOf(options);
    const selection = await selectItems({ input, plan }, settings, output, find, context.signal);
    const items = { input, plan, selection, check, notices };
    const tally = emptyTally();
    await send({ ...run, plan, settings, items, sink, tally });
  } finally {
    await sink.close();
  }
}
