import { emptyTally } from '../../../batch/tally.ts';
import { undiciNetwork } from '../../../client/http/undici/undici-network.ts';
import { present } from '../../print/presentation.ts';
import type { Context } from '../../program/context.ts';
import { nameUsage } from '../../service/metered-service.ts';
import { guardedClient } from '../../prompt/guard/secret-guard.ts';
import { openService } from '../../service/service.ts';
import { readSettings } from '../../service/settings-access.ts';
import { planSending } from '../plan.ts';
import { parseRate } from '../numbers.ts';
import { runId } from '../run-id.ts';
import { type Connect, connectToQueue, findBatch, lostBatch } from './open-queue.ts';
import type { WorkOptions } from './queue-options.ts';
import { createResultKeeper } from './result-keeper.ts';
import { batchSettings, type Work, type WorkPlan } from './work.ts';
import { concludeWork } from './work-end.ts';
import { refusedNotice, workThrough } from './work-loop.ts';

const planWork = (options: WorkOptions): WorkPlan => ({
  ...planSending(options),
  rate: parseRate(options.rpm, '--rpm'),
  tokens: parseRate(options.tpm, '--tpm'),
});

async function runWork(work: Work): Promise<void> {
  const { context, queue, plan } = work;
  if (plan.rate !== undefined) await queue.setRate(plan.rate);
  const start = context.clock.monotonic();
  const end = await workThrough(work);
  concludeWork(work, end, context.clock.monotonic() - start);
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
  const own = readSettings(context, notices, options);
  const connection = await connect(context, notices, options);
  try {
    const queue = await findBatch(connection, options);
    const header = await queue.header();
    if (header === undefined) throw lostBatch(queue.name);
    const settings = batchSettings(own, header);
    nameUsage(context, { command: 'batch work', batch: runId(context) });
    const service = await openService(context, presentation, options, settings, {
      network: undiciNetwork,
    });
    const giveUp = new AbortController();
    const { clock } = context;
    const keeper = createResultKeeper({
      queue,
      clock,
      giveUp: giveUp.signal,
      onRefused: refusedNotice(notices),
    });
    const { stream } = header;
    const run = { context, options, presentation, plan, connection, queue, giveUp };
    try {
      const client = await guardedClient(context, options, settings, service.client);
      const guarded = { ...service, client };
      await runWork({ ...run, stream, settings, service: guarded, tally: emptyTally(), keeper });
    } finally {
      await service.close();
    }
  } finally {
    await connection.close();
  }
}
