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
import { readResults } from '../../batch/results/read-results.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { type Batch, checkItems, openBatch, pendingItems, selectItems } from './items.ts';
import { failureLine, unsendable } from './output/result.ts';
import { type BatchSink, openSink } from './output/sink.ts';
import { type BatchOptions, type BatchPlan, resultsFileOf, type SendingRun } from './plan.ts';
import { shortTime } from './report/progress.ts';
import { refuseUnwritableSummary, reportEnd } from './report/reporting.ts';
import { endingOf, fileTexts, kindOf } from './report/summary.ts';
import { openGuard } from './secret-guard.ts';
import { type Pipeline, runUntilEnd } from './sending/pipeline.ts';
import { planItem } from './sending/send-item.ts';
import { refuseSharedFiles } from './shared-files.ts';
import type { Context, StartedRun } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { describeRequest } from '../../ask/dry-run.ts';
import type { PlannedRequest } from '../../ask/plan-request.ts';
import { openService } from '../../ask/service.ts';
import { withHint } from '../../cli/report.ts';
import { guardRequest } from '../../input/secret-guard.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count, countOf, moneyText, tokenText } from '../../output/figures.ts';
import { jsonLine } from '../../output/json-answer.ts';
import { costOf, type PriceTable } from '../../settings/prices.ts';
import { estimateRequest, limitsOfRun } from '../../usage/budget.ts';

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

/** The shortest pause with a notice, in milliseconds. */
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
    const failed = countOf(tally.failed, 'failed item');
    notices.notice(`sending ${failed} again (${round} of ${rounds})`);
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
  const guard = openGuard(batch, input, batch.history.texts);
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

const emptyTotals = (prices: PriceTable) => ({
  tally: emptyTally(),
  sendable: 0,
  /** Estimated; assumes that each answer has the maximum length. */
  tokens: 0,
  prices,
  /** Estimated, by currency, with answers of the maximum length. */
  costs: new Map<string, number>(),
  /** Some answer has no maximum length, and its cost is not counted. */
  isOpenEnded: false,
  unpriced: new Set<string>(),
});

type DryRunTotals = ReturnType<typeof emptyTotals>;

function addCost(totals: DryRunTotals, request: CompletionRequest): void {
  const price = totals.prices.get(request.model);
  if (price === undefined) {
    totals.unpriced.add(request.model);
    return;
  }
  const { prompt, answer } = estimateRequest(request);
  const cost = costOf(price, { prompt, answer: answer ?? 0 });
  totals.costs.set(price.currency, (totals.costs.get(price.currency) ?? 0) + cost);
  totals.isOpenEnded ||= answer === undefined;
}

/** `, at most ~0.02 USD`; empty if no price is known. */
function costText({ costs, isOpenEnded, unpriced }: DryRunTotals): string {
  if (costs.size === 0) return '';
  const money = `~${moneyText(costs)}`;
  const missing = unpriced.size === 0 ? '' : ` (no price for ${[...unpriced].join(', ')})`;
  return isOpenEnded ? `, ${money} without the answers${missing}` : `, at most ${money}${missing}`;
}

function totalsText(totals: DryRunTotals): string {
  const { tally, sendable, tokens } = totals;
  const { total = 0, already, failed } = tally;
  const before = already === 0 ? '' : ` (${count(already)} already answered)`;
  const bad = failed === 0 ? '' : `; ${count(failed)} cannot be sent`;
  return `${count(sendable)} of ${countOf(total, 'item')} would be sent${before}, ${tokenText(tokens, true)}${costText(totals)}${bad}`;
}

/**
 * Prints what `natter batch` would send, one JSON line per item. Sends nothing and writes no file.
 * @throws Failure if an item could not be sent
 */
async function printBatchDryRun(batch: Batch): Promise<void> {
  const { context, options, settings, notices } = batch;
  const { signal, streams } = context;
  const output = resultsFileOf(options);
  const results = output === undefined ? undefined : readResults(output);
  const selection = await selectItems(batch, output, (index) => results?.get(index));
  const totals = emptyTotals(settings.prices);
  const { tally } = totals;
  await checkItems(batch, selection, tally, results?.last ?? 0);
  const redacting = { mode: 'redact', settings } as const;
  const describe = (planned: PlannedRequest) => {
    if (options.redact !== true) return describeRequest(batch, planned);
    const { request } = guardRequest(context, redacting, planned.request);
    return describeRequest(batch, { ...planned, request });
  };
  for await (const item of pendingItems(batch, selection, tally, signal)) {
    const { index, line, id = null } = item;
    let text: string;
    try {
      if (item.problem !== undefined) throw unsendable(item);
      const planned = planItem(item.content, settings, options.stream);
      totals.sendable += 1;
      totals.tokens += planned.fit.estimate;
      addCost(totals, planned.request);
      text = jsonLine({ index, line, id, ...describe(planned) });
    } catch (error) {
      const failure = withHint(toFailure(error));
      countFailure(tally, failure, item);
      text = failureLine(context.secrets, item, undefined, failure);
    }
    await streams.stdout.write(text);
    signal.throwIfAborted();
  }
  const text = totalsText(totals);
  if (tally.failed === 0) return notices.notice(text);
  throw new Failure(kindOf(tally, undefined), text, {
    hint: 'see the error lines in the output',
  });
}

/** @throws Failure; an Interruption after Ctrl+C; or the reason `context.signal` was aborted with */
export async function runBatch(
  run: StartedRun<BatchOptions>,
  file: string | undefined,
): Promise<void> {
  const { context, options } = run;
  if (options.output === undefined) refuseClosedOutput(context.streams.stdout, false);
  const batch = await openBatch(run, file);
  refuseFiles(batch, file);
  if (options.dryRun === true) return printBatchDryRun(batch);
  const sink = await openSink(context, batch.notices, options, batch);
  try {
    await sendTo(sink, batch);
  } finally {
    await sink.close();
  }
}
