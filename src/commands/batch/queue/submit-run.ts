import { isLoopbackName } from '../../../address.ts';
import type { AnswerCheck } from '../../../ask/check.ts';
import { formatFingerprint } from '../../../batch/fingerprint.ts';
import type { InputItem } from '../../../batch/input/item.ts';
import type { Selection } from '../../../batch/input/select-items.ts';
import {
  type BatchHeader,
  batchNameOf,
  type QueuedItem,
  type QueuedResult,
} from '../../../batch/queue/batch-queue.ts';
import type { BatchQueue } from '../../../batch/queue/redis-queue.ts';
import type { QueueConnection } from '../../../batch/queue/connect.ts';
import { emptyTally } from '../../../batch/tally.ts';
import { type Batch, checkItems, openBatch, pendingItems, selectItems } from '../items.ts';
import { failureLine, unsendable } from '../output/result.ts';
import { parseNumber } from '../plan.ts';
import { type Connect, connectToQueue, type SubmitOptions } from './open-queue.ts';
import { itemText } from '../secret-guard.ts';
import type { Context } from '../../../run.ts';
import { locateSecrets, secretsRefusal } from '../../../input/secret-guard.ts';
import { Failure } from '../../../failure.ts';
import { count, countOf } from '../../../output/figures.ts';
import { withoutSources } from '../../../settings/resolved-settings.ts';

/** Items that are sent to the queue together. */
const blockSize = 500;
const mostAttempts = 100;

interface Submission {
  readonly batch: Batch<SubmitOptions>;
  readonly selection: Selection;
  readonly queue: BatchQueue;
  readonly attempts: number;
  /** @throws Failure `secrets` for an item that may not leave this machine */
  readonly checkItem: (item: InputItem) => void;
}

/** Checks prompts for a queue on a different host. Workers check what they send to the service. */
function openSubmitGuard(
  { context, options, own, input }: Batch<SubmitOptions>,
  { label }: QueueConnection,
): Submission['checkItem'] {
  const { host, hostname } = new URL(label);
  const isOff = options.allowSecrets === true || own.values.secretGuard === 'off';
  if (isOff || isLoopbackName(hostname)) return () => undefined;
  return (item) => {
    const located = locateSecrets(context, { name: input.name, content: itemText(item) });
    if (located.length === 0) return;
    const inFile = located.map((secret) => ({ ...secret, line: item.line }));
    throw secretsRefusal(
      inFile,
      `the queue at ${host}`,
      '--allow-secrets puts it into the queue; ‹natter batch work --redact› sends placeholders to the service',
    );
  };
}

/** Of the answers; workers decide about `response_format` by their own profile. */
function checkOf({ schema, retries, pointer }: AnswerCheck) {
  return {
    retries,
    ...(schema === undefined ? {} : { schema: JSON.stringify(schema) }),
    ...(pointer === undefined ? {} : { select: pointer }),
  };
}

function headerOf({ input, own, options, check }: Batch): BatchHeader {
  const { model, system, maxTokens } = own.values;
  return {
    input: input.name,
    model,
    ...(system === undefined ? {} : { system }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    params: withoutSources(own.params),
    stream: options.stream,
    ...(check === undefined ? {} : { check: checkOf(check) }),
  };
}

const fingerprintOf = (item: InputItem, { fingerprint }: Selection) =>
  item.problem === undefined ? formatFingerprint(fingerprint(item)) : '';

function changed({ name }: BatchQueue, { line }: InputItem, what: string): Failure {
  return new Failure('usage', `line ${line} of the input ${what} in batch ${name}`, {
    hint: 'use --batch NAME for a new batch, or ‹natter batch collect --remove› to delete the old one',
  });
}

/** @throws Failure `usage` if the batch has a different item in its place */
function refuseChanged(
  { queue, selection }: Submission,
  item: InputItem,
  known: {
    /** Undefined if the batch has no item at this index; empty if that could not be sent. */
    readonly fingerprint: string | undefined;
    /** The index of the item with the same id; undefined if there is none. */
    readonly indexOfId: number | undefined;
  },
): void {
  const { fingerprint = '', indexOfId } = known;
  const isMoved = indexOfId !== undefined && indexOfId !== item.index;
  if (isMoved && item.problem === undefined) {
    throw changed(queue, item, `has the id of item ${indexOfId}`);
  }
  if (fingerprint !== '' && fingerprint !== fingerprintOf(item, selection)) {
    throw changed(queue, item, `has a different prompt than item ${item.index}`);
  }
}

/** @returns the number of items that the batch did not have @throws Failure for items that are refused */
async function checkBlock(submission: Submission, block: readonly InputItem[]): Promise<number> {
  const known = await submission.queue.known(block);
  let added = 0;
  for (const [place, item] of block.entries()) {
    const found = known[place] ?? { fingerprint: undefined, indexOfId: undefined };
    submission.checkItem(item);
    refuseChanged(submission, item, found);
    const isCorrected = found.fingerprint === '' && item.problem === undefined;
    if (found.fingerprint === undefined || isCorrected) added += 1;
  }
  return added;
}

async function addBlock(submission: Submission, block: readonly InputItem[]): Promise<void> {
  const { queue, selection, attempts, batch } = submission;
  const good: QueuedItem[] = [];
  const bad: QueuedResult[] = [];
  for (const item of block) {
    if (item.problem === undefined) {
      const { given: _given, ...sent } = item;
      good.push({ ...sent, fingerprint: fingerprintOf(item, selection) });
    } else {
      const line = failureLine(batch.context.secrets, item, undefined, unsendable(item));
      bad.push({ index: item.index, isAnswered: false, line: line.trimEnd() });
    }
  }
  await queue.add(good, attempts);
  await queue.addUnsendable(bad);
}

/** Collects items for one request to the queue. */
function createBlocks(act: (block: readonly InputItem[]) => Promise<void>) {
  let block: InputItem[] = [];
  const flush = async () => {
    const full = block;
    block = [];
    await act(full);
  };
  return {
    async add(item: InputItem): Promise<void> {
      block.push(item);
      if (block.length === blockSize) await flush();
    },
    flush,
  };
}

async function addAll(submission: Submission): Promise<{ all: number; added: number }> {
  const { batch, selection } = submission;
  let all = 0;
  let added = 0;
  const blocks = createBlocks(async (block) => {
    added += await checkBlock(submission, block);
    await addBlock(submission, block);
    all += block.length;
  });
  const items = pendingItems(batch, selection, emptyTally(), batch.context.signal);
  for await (const item of items) await blocks.add(item);
  await blocks.flush();
  return { all, added };
}

/** Runs `natter batch submit`. @throws Failure */
export async function submitBatch(
  context: Context,
  options: SubmitOptions,
  file: string | undefined,
  connect: Connect = connectToQueue,
): Promise<void> {
  const name = batchNameOf(options.batch, file);
  const attempts = parseNumber(options.attempts, '--attempts', 1, mostAttempts);
  const batch = await openBatch(context, options, file);
  const { notices, plan } = batch;
  const rate = plan.rateLimits.requests;
  const selection = await selectItems(batch);
  const connection = await connect(context, notices, options);
  try {
    const queue = connection.open(name);
    const checkItem = openSubmitGuard(batch, connection);
    const submission = { batch, selection, queue, attempts, checkItem };
    // Nothing is added if an item of a file is refused; a pipe is added as it is read.
    const checks = createBlocks(async (block) => void (await checkBlock(submission, block)));
    await checkItems(batch, selection, emptyTally(), 0, (item) => checks.add(item));
    await checks.flush();
    const header = headerOf(batch);
    const isNew = (await queue.header()) === undefined;
    if (isNew) await queue.setHeader(header);
    if (isNew || rate !== undefined) await queue.setRate(rate);
    const { all, added } = await addAll(submission);
    if (!isNew) await queue.setHeader(header);
    const retried = await queue.retryFailed();
    const before = all === added ? '' : `, ${count(all - added)} were there before`;
    const again = retried === 0 ? '' : `; ${count(retried)} failed before and wait again`;
    notices.notice(`batch ${name}: ${countOf(added, 'item')} added${before}${again}`);
  } finally {
    await connection.close();
  }
}
