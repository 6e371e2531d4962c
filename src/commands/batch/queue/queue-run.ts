// What a person does with a queue: `natter batch submit`, `status` and `collect`. Workers are in work-run.ts.

import { isLoopbackName } from '../../../address.ts';
import { readFingerprint } from '../../../batch/fingerprint.ts';
import type { InputItem } from '../../../batch/input/item.ts';
import { connectQueue, queueAddress, type QueueConnection } from '../../../batch/queue/connect.ts';
import { loadLibraries } from '../../../batch/queue/library.ts';
import {
  type BatchHeader,
  batchNameOf,
  type BatchQueue,
  checkBatchName,
  type QueuedItem,
  type QueuedResult,
} from '../../../batch/queue/redis-queue.ts';
import { countFailure, emptyTally, itemsLeft } from '../../../batch/tally.ts';
import { exitCodes, Failure, type FailureKind } from '../../../failure.ts';
import { locateSecrets, secretsRefusal } from '../../../input/secret-guard.ts';
import { definedFields, filledText, isJsonObject, parseJson } from '../../../json.ts';
import { count, countOf } from '../../../output/figures.ts';
import type { Notices } from '../../../output/notices.ts';
import { printJson, printTable } from '../../../output/print-data.ts';
import type { Context, GlobalOptions, JsonOptions, StartedRun } from '../../../run.ts';
import { withoutSources } from '../../../settings/resolved-settings.ts';
import { refuseReservedName } from '../../../storage/file-name.ts';
import { itemText, openBatch, selectItems } from '../items.ts';
import { type BatchSink, failureLine, openSink, unsendable } from '../output.ts';
import { type BatchOptions, parseNumber, type SendingOptions } from '../plan.ts';
import { kindOf, printCauses } from '../report/ending.ts';
import { collectedOutcome } from '../report/progress.ts';
import { itemFingerprint } from '../sending/send-item.ts';

/** Options of every command for a queue. */
export interface QueueOptions extends GlobalOptions {
  readonly queue?: string;
  readonly batch?: string;
}

/** Numbers are unparsed text. */
export interface SubmitOptions extends BatchOptions, QueueOptions {
  readonly attempts: string;
}

export interface WorkOptions extends QueueOptions, SendingOptions {
  readonly wait?: boolean;
}

export interface CollectOptions extends QueueOptions {
  readonly output?: string;
  readonly unordered?: boolean;
  readonly remove?: boolean;
  /** Removes also a batch with items that have no result. */
  readonly force?: boolean;
}

/** Connects to the queue that the options or the environment name; tests pass their own. @throws Failure */
export async function connectToQueue(context: Context, notices: Notices, { queue }: QueueOptions) {
  // This comes before the packages are loaded: it refuses a password in the command line.
  const address = queueAddress(queue, context);
  return connectQueue(loadLibraries(), address, notices);
}

export type Connect = typeof connectToQueue;

export function noBatch(message: string): Failure {
  return new Failure('not_found', message, {
    hint: '‹natter batch submit prompts.txt --queue …› puts prompts into the queue',
  });
}

/**
 * The batch that `--batch` names, else the only one in the queue.
 * @throws Failure `not_found`, or `usage` if there are several
 */
export async function findBatch(
  connection: QueueConnection,
  { batch }: QueueOptions,
): Promise<BatchQueue> {
  const names = await connection.batches();
  if (batch !== undefined) {
    const name = checkBatchName(batch);
    if (names.includes(name)) return connection.open(name);
    const others = names.length === 0 ? '' : `; it has ${names.join(', ')}`;
    throw noBatch(`the queue at ${connection.label} has no batch ${name}${others}`);
  }
  const [only, ...others] = names;
  if (only === undefined) throw noBatch(`the queue at ${connection.label} has no batch`);
  if (others.length === 0) return connection.open(only);
  throw new Failure('usage', `the queue at ${connection.label} has several batches`, {
    hint: `choose one with --batch: ${names.join(', ')}`,
  });
}

/** Items that are put into the queue together. */
const blockSize = 500;
const mostAttempts = 100;

/** Runs `natter batch submit`. @throws Failure */
export async function submitBatch(
  run: StartedRun<SubmitOptions>,
  file: string | undefined,
  connect: Connect = connectToQueue,
): Promise<void> {
  const { context, options } = run;
  const name = batchNameOf(options.batch, file);
  const attempts = parseNumber(options.attempts, '--attempts', 1, mostAttempts);
  const batch = await openBatch(run, file);
  const { notices, plan } = batch;
  const rate = plan.rateLimits.requests;
  const selection = await selectItems(batch, emptyTally());
  const connection = await connect(context, notices, options);
  try {
    const queue = connection.open(name);
    const { host, hostname } = new URL(connection.label);
    // Workers check what they send to the service.
    const isUnguarded =
      options.allowSecrets === true ||
      batch.own.values.secretGuard === 'off' ||
      isLoopbackName(hostname);
    /** The fingerprints of the items that the batch has; empty for an item that cannot be sent. */
    let known = await queue.fingerprints();
    /** @returns whether it is new or corrected @throws Failure `usage` for another item in its place, or `secrets` */
    const check = (item: InputItem): boolean => {
      const content = isUnguarded ? '' : itemText(item);
      const located = locateSecrets(context, { name: batch.input.name, content });
      if (located.length > 0) {
        throw secretsRefusal(
          located.map((secret) => ({ ...secret, line: item.line })),
          `the queue at ${host}`,
          '--allow-secrets puts it into the queue; ‹natter batch work --redact› sends placeholders to the service',
        );
      }
      const before = known.get(item.index) ?? '';
      const isSendable = item.problem === undefined;
      if (before === '') return isSendable || !known.has(item.index);
      if (isSendable && itemFingerprint(item, batch.settings) === before) return false;
      const message = `line ${item.line} of the input has a different prompt or id than item ${item.index} in batch ${name}`;
      throw new Failure('usage', message, {
        hint: 'use --batch NAME for a new batch, or ‹natter batch collect --remove› to delete the old one',
      });
    };
    // Nothing is added if an item of a file is refused; a pipe is added as it is read.
    await selection.check((item) => void check(item));
    const { model, system, maxTokens } = batch.own.values;
    // Workers decide about `response_format` by their own profile.
    const checked = batch.check && {
      retries: batch.check.retries,
      ...definedFields({
        schema: batch.check.schema && JSON.stringify(batch.check.schema),
        select: batch.check.pointer,
      }),
    };
    const header: BatchHeader = {
      input: batch.input.name,
      model,
      params: withoutSources(batch.own.params),
      stream: options.stream,
      ...definedFields({ system, maxTokens, check: checked }),
    };
    const isNew = (await queue.header()) === undefined;
    if (isNew) await queue.setHeader(header);
    if (isNew || rate !== undefined) await queue.setRate(rate);
    // Another submit may have added items since.
    known = await queue.fingerprints();
    let [all, added] = [0, 0];
    const good: QueuedItem[] = [];
    const bad: QueuedResult[] = [];
    const addBlock = async () => {
      await queue.add(good.splice(0), attempts);
      await queue.addUnsendable(bad.splice(0));
    };
    for await (const item of selection.pending(context.signal)) {
      all += 1;
      if (check(item)) added += 1;
      if (item.problem === undefined) {
        const { given: _given, ...sent } = item;
        good.push({ ...sent, fingerprint: itemFingerprint(item, batch.settings) });
      } else {
        const line = failureLine(context.secrets, item, undefined, unsendable(item));
        bad.push({ index: item.index, isAnswered: false, line: line.trimEnd() });
      }
      if (good.length + bad.length === blockSize) await addBlock();
    }
    await addBlock();
    if (!isNew) await queue.setHeader(header);
    const retried = await queue.retryFailed();
    const before = all === added ? '' : `, ${count(all - added)} were there before`;
    const again = retried === 0 ? '' : `; ${count(retried)} failed before and wait again`;
    notices.notice(`batch ${name}: ${countOf(added, 'item')} added${before}${again}`);
  } finally {
    await connection.close();
  }
}

const kinds = Object.keys(exitCodes) as FailureKind[];

/** @throws Failure `usage` if the sink has results of different items */
function refuseDifferent(name: string, sink: BatchSink, fingerprints: ReadonlyMap<number, string>) {
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
  let sink: BatchSink | undefined;
  try {
    const queue = await findBatch(connection, options);
    const format = { outputFormat: 'jsonl', answerColumn: '' } as const;
    sink = await openSink(context, notices, { ...options, ...format });
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
    const elapsed = context.clock.monotonic() - start;
    const outcome = `batch ${queue.name}: ${collectedOutcome(tally, elapsed)}`;
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
    await Promise.all([sink?.close(), connection.close()]);
  }
}

const headings = 'BATCH ITEMS ANSWERED FAILED WAITING ACTIVE DELAYED RATE WORKERS';
const columns = headings.split(' ').map((heading) => ({ heading }));

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
