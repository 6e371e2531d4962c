import { emptyTally, forgetFailures, itemsLeft, type Tally } from '../../batch/tally.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { printBatchDryRun } from './dry-run.ts';
import { type BatchItems, checkItems, openBatch, pendingItems, selectItems } from './items.ts';
import { type BatchSink, openBatchSink } from './output/sink.ts';
import { type BatchOptions, type BatchPlan, resultsFileOf, type SendingRun } from './plan.ts';
import { refuseUnwritableSummary, reportEnd } from './report/reporting.ts';
import { endingOf } from './report/summary.ts';
import { openGuard } from './secret-guard.ts';
import { pauseNotice } from './sending/admission.ts';
import { runUntilEnd, type SendItems } from './sending/pipeline.ts';
import { refuseSharedFiles } from './shared-files.ts';
import type { Stopping } from './stopping.ts';
import type { Context } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { openService } from '../../ask/service.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import { limitsOfRun } from '../../usage/budget.ts';

/** A run of `natter batch`. */
interface BatchRun extends SendingRun {
  readonly options: BatchOptions;
  readonly plan: BatchPlan;
  readonly items: BatchItems;
  readonly sink: BatchSink;
}

/** Identifies a run in the ledger, without the name of a file: `20261122-152314-k3f9`. */
export function runId({ clock, random }: Context): string {
  const time = clock.date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const suffix = Math.floor(random() * 36 ** 4).toString(36);
  return `${time}-${suffix.padStart(4, '0')}`;
}

/** Whether a failure other than that of an invalid line is left. */
function canImprove({ failed, causes }: Tally): boolean {
  return failed > (causes.get('usage') ?? 0);
}

/** Sends what has no answer, and then failed items again, at most `--rerun-failed` times. */
async function sendRounds(run: BatchRun, send: SendItems, { stop }: Stopping): Promise<void> {
  const { items, sink, tally, plan, presentation } = run;
  const sendPending = () =>
    send({
      items: (ended) => sink.admit(pendingItems(items, tally, ended)),
      room: () => sink.room(),
      end(item, sequence, { line, fingerprint, failure }) {
        if (line === undefined) return undefined;
        const isAnswered = failure === undefined;
        return sink.put(sequence, item, { index: item.index, fingerprint, isAnswered }, line);
      },
    });
  await sendPending();
  const rounds = plan.rerunFailed;
  for (let round = 1; round <= rounds && canImprove(tally) && !stop.aborted; round += 1) {
    const failed = tally.failed === 1 ? 'item' : 'items';
    presentation.notices.notice(
      `sending ${count(tally.failed)} failed ${failed} again (${round} of ${rounds})`,
    );
    forgetFailures(tally);
    await sendPending();
  }
}

async function sendAndReport(run: BatchRun): Promise<void> {
  const { context, options, plan, items, sink, tally } = run;
  const { shard } = plan;
  const names = {
    input: items.input.name,
    output: options.output ?? null,
    shard: shard === undefined ? null : `${shard.number}/${shard.count}`,
    begin: context.clock.date(),
  };
  const ending = await runUntilEnd(
    run,
    (...sending) => sendRounds(run, ...sending),
    async (stopping, elapsed) => {
      await sink.finish(itemsLeft(tally) === 0, items.selection.takes);
      return endingOf(run, stopping, elapsed());
    },
  );
  reportEnd(run, names, ending);
}

/** @throws Failure `usage` for options that need other files */
function refuseFiles(
  context: Context,
  options: BatchOptions,
  plan: BatchPlan,
  file: string | undefined,
  { isRepeatable }: BatchItems['input'],
): void {
  const { output, summary } = options;
  if (plan.rerunFailed > 0 && (output === undefined || !isRepeatable)) {
    throw new Failure('usage', '--rerun-failed needs -o FILE and a named input file', {
      hint: 'for example: natter batch prompts.txt -o answers.jsonl --rerun-failed 2',
    });
  }
  if (output !== undefined) refuseReservedName(output, context.platform);
  refuseSharedFiles(options, file, context.environment);
  if (summary !== undefined) refuseUnwritableSummary(summary);
}

/** @throws Failure; an Interruption after Ctrl+C; or the reason `context.signal` was aborted with */
export async function runBatch(
  context: Context,
  options: BatchOptions,
  file: string | undefined,
): Promise<void> {
  const run = await openBatch(context, options, file);
  const { presentation, notices, plan, check, settings, input } = run;
  refuseFiles(context, options, plan, file, input);
  if (options.dryRun === true) {
    const items = { input, plan, check, notices };
    return printBatchDryRun({ context, options, presentation, settings, items });
  }
  const sink = await openBatchSink(context, notices, options, { input, plan });
  try {
    const find = (index: number) => sink.find(index);
    const output = resultsFileOf(options);
    const selection = await selectItems({ input, plan }, settings, output, find, context.signal);
    const items = { input, plan, selection, check, notices };
    const tally = emptyTally();
    const guard = openGuard(run, input);
    await checkItems(items, tally, sink.last, context.signal, guard.inspect);
    const source = {
      command: 'batch',
      batch: runId(context),
      limits: limitsOfRun(plan.limits, settings),
      costs: tally.costs,
    };
    const guardRequests = await guard.forRequests();
    const service = await openService(run, source, {
      network: undiciNetwork,
      writesFile: options.output !== undefined,
    });
    try {
      await sendAndReport({
        command: 'natter batch',
        context,
        options,
        presentation,
        plan,
        settings,
        service,
        check,
        guard: guardRequests,
        stream: options.stream,
        tally,
        onPause: pauseNotice(presentation),
        broken: sink.broken,
        items,
        sink,
      });
    } finally {
      await service.close();
    }
  } finally {
    await sink.close();
  }
}
