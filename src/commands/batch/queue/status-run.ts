import type { BatchQueue } from '../../../batch/queue/redis-queue.ts';
import { type Connect, connectToQueue, findBatch, type StatusOptions } from './open-queue.ts';
import { present, type Context } from '../../../run.ts';
import { printJson, printTable } from '../../../output/print-data.ts';
import { count } from '../../../output/figures.ts';

type NamedCounts = Awaited<ReturnType<BatchQueue['counts']>> & { readonly name: string };

const columns = [
  'BATCH',
  'ITEMS',
  'ANSWERED',
  'FAILED',
  'WAITING',
  'ACTIVE',
  'DELAYED',
  'RATE',
  'WORKERS',
].map((heading) => ({ heading }));

function row({ name, lastMinute, workers, ...jobs }: NamedCounts): readonly string[] {
  const numbers = Object.values(jobs).map((number) => count(number));
  return [name, ...numbers, `${count(lastMinute)}/min`, count(workers)];
}

const record = ({ name, lastMinute, workers, ...jobs }: NamedCounts): object => ({
  batch: name,
  ...jobs,
  answered_last_minute: lastMinute,
  workers,
});

/** Runs `natter batch status`: the batch of `--batch`, else all. @throws Failure */
export async function printStatus(
  context: Context,
  options: StatusOptions,
  connect: Connect = connectToQueue,
): Promise<void> {
  const presentation = await present(context, options);
  const connection = await connect(context, presentation.notices, options);
  try {
    const queues =
      options.batch === undefined
        ? (await connection.batches()).map((name) => connection.open(name))
        : [await findBatch(connection, options)];
    const all: NamedCounts[] = [];
    for (const queue of queues) all.push({ name: queue.name, ...(await queue.counts()) });
    if (options.json === true) return await printJson(context, all.map(record));
    if (all.length === 0) {
      return presentation.notices.notice(`the queue at ${connection.label} has no batch`);
    }
    await printTable(context, presentation, columns, all.map(row));
  } finally {
    await connection.close();
  }
}
