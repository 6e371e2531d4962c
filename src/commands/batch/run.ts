import { refuseClosedOutput } from '../../output/answer-printer.ts';
import { runItems } from '../../batch/run-items.ts';
import {
  countFailure,
  emptyTally,
  forgetFailures,
  itemsLeft,
  type Tally,
} from '../../batch/tally.ts';
import type { Selection } from '../../batch/input/select-items.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { printBatchDryRun } from './dry-run.ts';
import { type Batch, checkItems, openBatch, pendingItems, selectItems } from './items.ts';
import { type BatchSink, openSink } from './output/sink.ts';
import { type BatchOptions, type BatchPlan, resultsFileOf, type SendingRun } from './plan.ts';
import { shortTime } from './report/progress.ts';
import { refuseUnwritableSummary, reportEnd } from './report/reporting.ts';
import { endingOf, fileTexts } from './report/summary.ts';
import { openGuard } from './secret-guard.ts';
import { type Pipeline, runUntilEnd } from './sending/pipeline.ts';
import { refuseSharedFiles } from './shared-files.ts';
import type { Context } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { openService } from '../../ask/service.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import { limitsOfRun } from '../../usage/budget.ts';

/** A run of `natter batch`. */
interface BatchRun extends SendingRun, Batch {
  readonly options: BatchOptions;
  readonly plan: BatchPlan;
  readonly selection: Selection;
  readonly sink: BatchSink;
}

/** Identifies a run in the ledger, without the name of a file: `20261122-152314-k3f9`. */
export function runId({ clock, random }: Context): string {
  const time = clock.date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const suffix = Math.floor(random() * 36 ** 4).toString(36);
  return `${time}-${suffix.padStart(4, '0')}`;
}

/** In milliseconds; a shorter pause is not worth a notice. */
const longPause = 5000;

/** Whether a failure other than that of an invalid line is left. */
function canImprove({ failed, causes }: Tally): boolean {
  return failed > (causes.get('usage')?.count ?? 0);
}

/** Sends what has no answer, and then failed items again, at most `--rerun-failed` times. */
async function sendRounds(run: BatchRun, { stopping, admit, answer }: Pipeline): Promise<void> {
  const { selection, sink, tally, plan, notices } = run;
  const { stop, halt } = stopping;
  const sendPending = () =>
    runItems({
      items: pendingItems(run, selection, tally, stop),
      async admit(item, sequence) {
        if (sequence === 0) sink.checkFirst(item);
        return admit(item, sequence);
      },
      room: () => sink.room(),
      async work(item, sequence, permission) {
        const { line, fingerprint, failure } = await answer(item, permission);
        if (line === undefined) return;
        const isAnswered = failure === undefined;
        if (!isAnswered) countFailure(tally, failure, item);
        await sink.put(sequence, item, { index: item.index, fingerprint, isAnswered }, line);
      },
      stop,
      halt,
    });
  await sendPending();
  const rounds = plan.rerunFailed;
  for (let round = 1; round <= rounds && canImprove(tally) && !stop.aborted; round += 1) {
    const failed = tally.failed === 1 ? 'item' : 'items';
    notices.notice(`sending ${count(tally.failed)} failed ${failed} again (${round} of ${rounds})`);
    forgetFailures(tally);
    await sendPending();
  }
}

/** @throws Failure `usage` for options that need other files */
function refuseFiles({ context, options, plan, input }: Batch, file: string | undefined): void {
  const { output, summary } = options;
  if (plan.rerunFailed > 0 && (output === undefined || !input.isRepeatable)) {
    throw new Failure('usage', '--rerun-failed needs -o FILE and a named input file', {
      hint: 'for example: ‹natter batch prompts.txt -o answers.jsonl --rerun-failed 2›',
    });
  }
  if (output !== undefined) refuseReservedName(output, context.platform);
  refuseSharedFiles(options, file, context.environment);
  if (summary !== undefined) refuseUnwritableSummary(summary);
}

/** Sends the items, and reports how that ended. @throws Failure, or an interruption */
async function sendTo(sink: BatchSink, batch: Batch): Promise<void> {
  const { context, options, presentation, plan, settings, input, notices } = batch;
  const { output } = options;
  const find = (index: number) => sink.find(index);
  const selection = await selectItems(batch, resultsFileOf(options), find);
  const tally = emptyTally();
  const guard = openGuard(batch, input);
  await checkItems(batch, selection, tally, sink.last, guard.inspect);
  const source = {
    command: 'batch',
    batch: runId(context),
    limits: limitsOfRun(plan.limits, settings),
    costs: tally.costs,
  };
  const service = await openService(batch, source, {
    network: undiciNetwork,
    writesFile: output !== undefined,
  });
  try {
    const run: BatchRun = {
      ...batch,
      command: 'natter batch',
      service,
      guard: await guard.forRequests(),
      stream: options.stream,
      stopsStarved: true,
      tally,
      onPause(wait) {
        // A progress line shows the pause itself.
        if (presentation.animated || wait < longPause) return;
        notices.notice(`rate limit: pausing new requests for ${shortTime(wait)}`);
      },
      broken: sink.broken,
      selection,
      sink,
    };
    const begin = context.clock.date();
    const ending = await runUntilEnd(
      run,
      (pipeline) => sendRounds(run, pipeline),
      async (stopping, elapsed) => {
        const left = itemsLeft(tally);
        await sink.finish(left === 0, selection.takes);
        return endingOf(run, stopping, elapsed, left, fileTexts(output, left));
      },
    );
    const shard = plan.shard === undefined ? null : `${plan.shard.number}/${plan.shard.count}`;
    reportEnd(run, { begin, input: input.name, output: output ?? null, shard }, ending);
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
  if (options.output === undefined) refuseClosedOutput(context.streams.stdout, false);
  const batch = await openBatch(context, options, file);
  refuseFiles(batch, file);
  if (options.dryRun === true) return printBatchDryRun(batch);
  const sink = await openSink(context, batch.notices, options, batch);
  try {
    await sendTo(sink, batch);
  } finally {
    await sink.close();
  }
}
