import type { BatchHeader, BatchQueue } from '../../../batch/queue/batch-queue.ts';
import { emptyTally } from '../../../batch/tally.ts';
import { undiciNetwork } from '../../../client/http/undici-network.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { present } from '../../print/presentation.ts';
import type { Context } from '../../program/context.ts';
import { guardedClient } from '../../prompt/guard/secret-guard.ts';
import { openService } from '../../service/service.ts';
import { readSettings } from '../../service/settings-access.ts';
import { planSending } from '../plan.ts';
import { parseRate } from '../numbers.ts';
import type { Ending } from '../report/ending.ts';
import { reportEnd } from '../report/reporting.ts';
import { refuseUnwritableSummary } from '../report/summary-file.ts';
import { runId } from '../run-id.ts';
import { type Connect, connectToQueue, findBatch, lostBatch } from './open-queue.ts';
import type { WorkOptions } from './queue-options.ts';
import { createResultKeeper } from './result-keeper.ts';
import { batchCheck, batchSettings, type Work, type WorkPlan } from './work.ts';
import { endingOfWork } from './work-end.ts';
import { refusedNotice, workThrough } from './work-loop.ts';

const planWork = (options: WorkOptions): WorkPlan => ({
  ...planSending(options),
  rate: parseRate(options.rpm, '--rpm'),
  tokens: parseRate(options.tpm, '--tpm'),
});

interface EndedWork {
  readonly ending: Ending;
  readonly left: number | undefined;
}

async function workUntilEnd(work: Work): Promise<EndedWork> {
  const { clock } = work.context;
  const start = clock.monotonic();
  try {
    const end = await workThrough(work);
    return { ending: endingOfWork(work, end, clock.monotonic() - start), left: end.left };
  } catch (error) {
    const elapsed = clock.monotonic() - start;
    return { ending: { elapsed, stoppedBy: null, notice: undefined, error }, left: undefined };
  }
}

async function runWork(work: Work): Promise<void> {
  const { context, queue, plan, input } = work;
  if (plan.rate !== undefined) await queue.setRate(plan.rate);
  const begin = context.clock.date();
  const { ending, left } = await workUntilEnd(work);
  const names = { input, output: null, shard: null, begin, queue: { batch: queue.name, left } };
  reportEnd(work, names, ending);
}

type OpenedWork = Pick<Work, 'context' | 'options' | 'presentation' | 'plan' | 'connection'>;

/** Opens the service, and answers the items of a batch. */
async function workOn(
  opened: OpenedWork,
  queue: BatchQueue,
  header: BatchHeader,
  own: ResolvedSettings,
): Promise<void> {
  const { context, options, presentation } = opened;
  const { notices } = presentation;
  const { check, settings } = await batchCheck(notices, header, batchSettings(own, header));
  const source = { command: 'batch work', batch: runId(context) };
  const network = { network: undiciNetwork };
  const service = await openService(context, presentation, options, settings, source, network);
  const giveUp = new AbortController();
  const keeper = createResultKeeper({
    queue,
    clock: context.clock,
    giveUp: giveUp.signal,
    onRefused: refusedNotice(notices),
  });
  const { stream, input } = header;
  try {
    const client = await guardedClient(context, options, settings, service.client);
    const sending = { settings, check, stream, input, service: { ...service, client } };
    await runWork({ ...opened, ...sending, queue, giveUp, keeper, tally: emptyTally() });
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
  const presentation = await present(context, options);
  const { notices } = presentation;
  const plan = planWork(options);
  if (options.summary !== undefined) refuseUnwritableSummary(options.summary);
  const own = readSettings(context, notices, options);
  const connection = await connect(context, notices, options);
  try {
    const queue = await findBatch(connection, options);
    const header = await queue.header();
    if (header === undefined) throw lostBatch(queue.name);
    await workOn({ context, options, presentation, plan, connection }, queue, header, own);
  } finally {
    await connection.close();
  }
}
