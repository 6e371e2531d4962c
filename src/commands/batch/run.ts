import { aborted } from 'node:util';
import { refuseClosedOutput } from '../../output/answer-printer.ts';
import type { Permission } from '../../batch/admission.ts';
import type { InputItem } from '../../batch/input/item.ts';
import { countFailure, emptyTally, itemsLeft } from '../../batch/tally.ts';
import { readResults } from '../../batch/results/read-results.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { type Batch, openBatch, openGuard, selectItems, type Selection } from './items.ts';
import { type BatchSink, failureLine, openSink, unsendable } from './output.ts';
import { type BatchOptions, refuseSharedFiles, resultsFileOf, type SendingRun } from './plan.ts';
import { shortTime } from './report/progress.ts';
import { refuseUnwritableSummary, fileTexts, kindOf } from './report/ending.ts';
import { type Pipeline, runAndReport } from './sending/pipeline.ts';
import { planItem } from './sending/send-item.ts';
import type { Context, StartedRun } from '../../run.ts';
import { describeRequest } from '../../ask/dry-run.ts';
import type { PlannedRequest } from '../../ask/plan-request.ts';
import { openService, type Service } from '../../ask/service.ts';
import { withHint } from '../../cli/report.ts';
import { guardRequest } from '../../input/secret-guard.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count, countOf, moneyText, tokenText } from '../../output/figures.ts';
import { jsonLine } from '../../output/json-answer.ts';
import { costOf } from '../../settings/prices.ts';
import { estimateRequest, limitsOfRun } from '../../usage/budget.ts';

type BatchRun = SendingRun & Batch & { readonly selection: Selection; readonly sink: BatchSink };

/** Identifies a run in the ledger, without the name of a file: `20261122-152314-k3f9`. */
export function runId({ clock, random }: Context): string {
  const time = clock.date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const suffix = Math.floor(random() * 36 ** 4).toString(36);
  return `${time}-${suffix.padStart(4, '0')}`;
}

/** The shortest pause with a notice, in milliseconds. */
const longPause = 5000;

/** Sends the items that have no answer, and ends when all that were started are finished. */
async function sendPending(run: BatchRun, { stopping, admit, answer }: Pipeline): Promise<void> {
  const { selection, sink, tally } = run;
  const { stop, crash } = stopping;
  const running = new Set<Promise<void>>();
  const send = async (item: InputItem, permission: Permission) => {
    const { line, fingerprint, failure } = await answer(item, permission);
    if (line === undefined) return;
    const isAnswered = failure === undefined;
    if (!isAnswered) countFailure(tally, failure, item);
    await sink.put(item, { index: item.index, fingerprint, isAnswered }, line);
  };
  try {
    for await (const item of selection.pending(stop)) {
      const room = sink.accept(item);
      // The result that the output waits for may never arrive after a stop.
      if (room !== undefined) await Promise.race([room, aborted(stop, room)]);
      const permission = await admit(item);
      if (permission === undefined) break;
      const task: Promise<void> = send(item, permission)
        .catch(crash)
        .finally(() => running.delete(task));
      running.add(task);
    }
  } catch (error) {
    if (!stop.aborted) crash(error);
  }
  await Promise.all(running);
}

/** Sends what has no answer, and then failed items again, at most `--rerun-failed` times. */
async function sendRounds(run: BatchRun, pipeline: Pipeline): Promise<void> {
  const { tally, plan, notices } = run;
  await sendPending(run, pipeline);
  const { rerunFailed: rounds } = plan;
  for (let round = 1; round <= rounds && !pipeline.stopping.stop.aborted; round += 1) {
    // An invalid line fails again.
    if (tally.failed === (tally.causes.get('usage')?.count ?? 0)) return;
    const failed = countOf(tally.failed, 'failed item');
    notices.notice(`sending ${failed} again (${round} of ${rounds})`);
    tally.failed = 0;
    tally.lasting = 0;
    tally.causes.clear();
    await sendPending(run, pipeline);
  }
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
  const tally = emptyTally();
  const selection = await selectItems(batch, tally, output, results);
  let sendable = 0;
  /** Some answer has no maximum length, and its cost is not counted. */
  let isOpenEnded = false;
  const unpriced = new Set<string>();
  await selection.check();
  const redacting = { mode: 'redact', settings } as const;
  const describe = (planned: PlannedRequest) => {
    if (options.redact !== true) return describeRequest(batch, planned);
    const { request } = guardRequest(context, redacting, planned.request);
    return describeRequest(batch, { ...planned, request });
  };
  for await (const item of selection.pending(signal)) {
    const { index, line, id = null } = item;
    let text: string;
    try {
      if (item.problem !== undefined) throw unsendable(item);
      const planned = planItem(item.content, settings, options.stream);
      const { request, fit } = planned;
      sendable += 1;
      tally.tokens += fit.estimate;
      const price = settings.prices.get(request.model);
      if (price === undefined) unpriced.add(request.model);
      else {
        const { prompt, answer } = estimateRequest(request);
        const cost = costOf(price, { prompt, answer: answer ?? 0 });
        tally.costs.set(price.currency, (tally.costs.get(price.currency) ?? 0) + cost);
        isOpenEnded ||= answer === undefined;
      }
      text = jsonLine({ index, line, id, ...describe(planned) });
    } catch (error) {
      const failure = withHint(toFailure(error));
      countFailure(tally, failure, item);
      text = failureLine(context.secrets, item, undefined, failure);
    }
    await streams.stdout.write(text);
    signal.throwIfAborted();
  }
  const { total = 0, already, failed, tokens, costs } = tally;
  const before = already === 0 ? '' : ` (${count(already)} already answered)`;
  const bad = failed === 0 ? '' : `; ${count(failed)} cannot be sent`;
  const most = isOpenEnded ? '' : 'at most ';
  const part = isOpenEnded ? ' without the answers' : '';
  const missing = unpriced.size === 0 ? '' : ` (no price for ${[...unpriced].join(', ')})`;
  const cost = costs.size === 0 ? '' : `, ${most}~${moneyText(costs)}${part}${missing}`;
  const text = `${count(sendable)} of ${countOf(total, 'item')} would be sent${before}, ${tokenText(tokens, true)}${cost}${bad}`;
  if (failed === 0) return notices.notice(text);
  throw new Failure(kindOf(tally, undefined), text, {
    hint: 'see the error lines in the output',
  });
}

/** @throws Failure; an Interruption after Ctrl+C; or the reason `context.signal` was aborted with */
export async function runBatch(
  started: StartedRun<BatchOptions>,
  file: string | undefined,
): Promise<void> {
  const { context, options, presentation } = started;
  const { output } = options;
  if (output === undefined) refuseClosedOutput(context.streams.stdout, false);
  const batch = await openBatch(started, file);
  const { plan, settings, input, notices } = batch;
  if (plan.rerunFailed > 0 && (output === undefined || !input.isRepeatable)) {
    throw new Failure('usage', '--rerun-failed needs -o FILE and a named input file', {
      hint: 'for example: ‹natter batch prompts.txt -o answers.jsonl --rerun-failed 2›',
    });
  }
  refuseSharedFiles(context, options, file);
  if (options.summary !== undefined) refuseUnwritableSummary(options.summary);
  if (options.dryRun === true) return printBatchDryRun(batch);
  const sink = await openSink(context, notices, options, batch);
  let service: Service | undefined;
  try {
    const tally = emptyTally();
    const selection = await selectItems(batch, tally, resultsFileOf(options), sink);
    const guard = openGuard(batch, input, batch.history.texts);
    await selection.check(guard.inspect);
    const source = {
      command: 'batch',
      batch: runId(context),
      limits: limitsOfRun(plan.limits, settings),
      costs: tally.costs,
    };
    const use = { network: undiciNetwork, writesFile: output !== undefined };
    service = await openService(batch, source, use);
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
    const shard = plan.shard === undefined ? null : `${plan.shard.number}/${plan.shard.count}`;
    const names = { input: input.name, output: output ?? null, shard };
    const sendAll = (pipeline: Pipeline) => sendRounds(run, pipeline);
    await runAndReport(run, names, sendAll, async () => {
      const left = itemsLeft(tally);
      await sink.finish(left === 0, selection.takes);
      return fileTexts(output, left);
    });
  } finally {
    try {
      await service?.close();
    } finally {
      await sink.close();
    }
  }
}
