import { readFingerprint } from '../../../batch/fingerprint.ts';
import { countFailure, emptyTally, itemsLeft } from '../../../batch/tally.ts';
import { type BatchSink, openSink } from '../output.ts';
import {
  type CollectOptions,
  type Connect,
  connectToQueue,
  findBatch,
  type QueueOptions,
} from './open-queue.ts';
import { printCauses, kindOf } from '../report/ending.ts';
import { batchOutcome } from '../report/progress.ts';
import type { JsonOptions, StartedRun } from '../../../run.ts';
import { refuseReservedName } from '../../../storage/file-name.ts';
import { exitCodes, Failure, type FailureKind } from '../../../failure.ts';
import { filledText, isJsonObject, parseJson } from '../../../json.ts';
import { count } from '../../../output/figures.ts';
import { printJson, printTable } from '../../../output/print-data.ts';

const kinds = Object.keys(exitCodes) as FailureKind[];

/** @throws Failure `usage` if the sink has results of different items */
function refuseDifferent(
  name: string,
  sink: BatchSink,
  fingerprints: ReadonlyMap<number, string>,
): void {
  for (let index = 1; index <= sink.last; index += 1) {
    const found = sink.find(index)?.fingerprint;
    const expected = fingerprints.get(index);
    if (found === undefined || expected === found) continue;
    const what =
      expected === undefined
        ? `the batch has no item ${index}`
        : `item ${index} has a different prompt`;
    const message = `the file of -o belongs to a different batch than ${name}: ${what}`;
    throw new Failure('usage', message, {
      hint: 'use a different -o file, or choose the batch with --batch',
    });
  }
}

/** Runs `natter batch collect`. @throws Failure, also if items failed or are left */
export async function collectBatch(
  run: StartedRun<CollectOptions>,
  connect: Connect = connectToQueue,
): Promise<void> {
  const { context, options, presentation } = run;
  const { notices } = presentation;
  const { output, remove = false, force = false } = options;
  // Results on standard output may be lost, so they stay in the queue.
  if (remove && output === undefined) {
    throw new Failure('usage', '--remove needs a file for the results', { hint: 'add -o FILE' });
  }
  if (force && !remove) throw new Failure('usage', '--force is only for --remove');
  if (output !== undefined) refuseReservedName(output, context.platform);
  const start = context.clock.monotonic();
  const connection = await connect(context, notices, options);
  try {
    const queue = await findBatch(connection, options);
    const format = { outputFormat: 'jsonl', answerColumn: '' } as const;
    const sink = await openSink(context, notices, { ...options, ...format });
    try {
      const fingerprints = await queue.fingerprints();
      refuseDifferent(queue.name, sink, fingerprints);
      const indexes = [...fingerprints.keys()];
      const tally = { ...emptyTally(), total: indexes.length };
      for await (const { index, isAnswered, line } of queue.results(indexes)) {
        context.signal.throwIfAborted();
        if (sink.find(index)?.isAnswered === true) {
          tally.already += 1;
          continue;
        }
        const value = parseJson(line);
        const { line: at = index, id, error, usage } = isJsonObject(value) ? value : {};
        // natter's own format needs only the line.
        const item = { index, line: Number(at), id: filledText(id), problem: 'is in a queue' };
        if (isAnswered) tally.answered += 1;
        else {
          const { kind: found, message } = isJsonObject(error) ? error : {};
          const kind = kinds.find((one) => one === found) ?? 'unexpected';
          countFailure(tally, new Failure(kind, filledText(message) ?? ''), item);
        }
        const { total_tokens: tokens } = isJsonObject(usage) ? usage : {};
        if (typeof tokens === 'number') tally.tokens += tokens;
        const fingerprint = readFingerprint(fingerprints.get(index));
        await sink.accept(item);
        await sink.put(item, { index, fingerprint, isAnswered }, `${line}\n`);
      }
      const isComplete = itemsLeft(tally) === 0;
      await sink.finish(isComplete, (index) => fingerprints.has(index));
      if (remove && (isComplete || force)) await queue.remove();
      printCauses({ context, presentation, options, tally });
      const left = itemsLeft(tally) ?? 0;
      const rest = left === 0 ? '' : `; ${count(left)} without a result`;
      const elapsed = context.clock.monotonic() - start;
      const outcome = `batch ${queue.name}: ${batchOutcome(tally, elapsed)}${rest}`;
      if (left > 0) {
        const hint = 'run ‹natter batch work›, then collect again';
        throw new Failure('unfinished', outcome, { hint });
      }
      if (tally.failed > 0) {
        const hint =
          '‹natter batch submit› lets failed items wait again; ‹natter batch› with the file of -o sends them itself';
        throw new Failure(kindOf(tally, undefined), outcome, { hint });
      }
      notices.notice(outcome);
    } finally {
      await sink.close();
    }
  } finally {
    await connection.close();
  }
}

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

/** Runs `natter batch status`: the batch of `--batch`, else all. @throws Failure */
export async function printStatus(
  run: StartedRun<QueueOptions & JsonOptions>,
  connect: Connect = connectToQueue,
): Promise<void> {
  const { context, options, presentation } = run;
  const connection = await connect(context, presentation.notices, options);
  try {
    const queues =
      options.batch === undefined
        ? (await connection.batches()).map((name) => connection.open(name))
        : [await findBatch(connection, options)];
    const records: object[] = [];
    const rows: (readonly string[])[] = [];
    for (const queue of queues) {
      const { name: batch } = queue;
      const { lastMinute, workers, ...jobs } = await queue.counts();
      const numbers = Object.values(jobs).map((number) => count(number));
      rows.push([batch, ...numbers, `${count(lastMinute)}/min`, count(workers)]);
      records.push({ batch, ...jobs, answered_last_minute: lastMinute, workers });
    }
    if (options.json === true) return await printJson(context, records);
    if (rows.length === 0) {
      return presentation.notices.notice(`the queue at ${connection.label} has no batch`);
    }
    await printTable(run, columns, rows);
  } finally {
    await connection.close();
  }
}
