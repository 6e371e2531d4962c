import { isLoopbackName } from '../../../address.ts';
import type { AnswerCheck } from '../../../ask/check.ts';
import { formatFingerprint } from '../../../batch/fingerprint.ts';
import type { InputItem } from '../../../batch/input/item.ts';
import { eachItem } from '../../../batch/input/read-items.ts';
import {
  type BatchHeader,
  batchNameOf,
  type BatchQueue,
  type KnownItem,
  type QueueConnection,
  type QueuedCheck,
} from '../../../batch/queue/batch-queue.ts';
import { emptyTally } from '../../../batch/tally.ts';
import { type BatchItems, checkItems, openBatch, pendingItems, selectItems } from '../items.ts';
import { failureLine, unsendable } from '../output/result.ts';
import { parseNumber } from '../plan.ts';
import { type Connect, connectToQueue, type SubmitOptions } from './open-queue.ts';
import { itemText } from '../secret-guard.ts';
import { itemFingerprint } from '../sending/send-item.ts';
import type { Context } from '../../../run.ts';
import { locateSecrets, secretsRefusal } from '../../prompt/secret-guard.ts';
import { Failure } from '../../../failure.ts';
import { count, countOf } from '../../../output/figures.ts';
import { type ResolvedSettings, withoutSources } from '../../../settings/resolved-settings.ts';

/** Items that are sent to the queue together. */
const blockSize = 500;
const mostAttempts = 100;

/** @throws Failure `secrets` for an item that may not leave this machine */
type CheckItem = (item: InputItem) => void;

/**
 * What checks prompts for a queue on a different host; undefined if nothing is checked. Workers check what they send to
 * the service.
 */
function openSubmitGuard(
  context: Context,
  { allowSecrets = false }: SubmitOptions,
  { values }: ResolvedSettings,
  { label }: Pick<QueueConnection, 'label'>,
  input: string,
): CheckItem | undefined {
  const { host, hostname } = new URL(label);
  if (allowSecrets || values.secretGuard === 'off' || isLoopbackName(hostname)) return undefined;
  return (item) => {
    const located = locateSecrets(context, { name: input, content: itemText(item) });
    if (located.length === 0) return;
    const inFile = located.map((secret) => ({ ...secret, line: item.line }));
    throw secretsRefusal(
      inFile,
      `the queue at ${host}`,
      '--allow-secrets puts it into the queue; natter batch work --redact sends placeholders to the service',
    );
  };
}

interface Submission {
  readonly context: Context;
  readonly items: BatchItems;
  readonly queue: BatchQueue;
  readonly settings: ResolvedSettings;
  readonly attempts: number;
  readonly checkItem: CheckItem | undefined;
}

/** Of the answers; workers decide about `response_format` by their own profile. */
function checkOf({ schema, retries, pointer }: AnswerCheck): QueuedCheck {
  return {
    retries,
    ...(schema === undefined ? {} : { schema: JSON.stringify(schema) }),
    ...(pointer === undefined ? {} : { select: pointer }),
  };
}

function headerOf(
  input: string,
  settings: ResolvedSettings,
  stream: boolean,
  check: AnswerCheck | undefined,
): BatchHeader {
  const { model, system, maxTokens } = settings.values;
  return {
    input,
    model,
    ...(system === undefined ? {} : { system }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    params: withoutSources(settings.params),
    stream,
    ...(check === undefined ? {} : { check: checkOf(check) }),
  };
}

async function* blocks(submission: Submission): AsyncGenerator<readonly InputItem[], void> {
  const { context, items } = submission;
  let block: InputItem[] = [];
  for await (const item of eachItem(pendingItems(items, emptyTally(), context.signal))) {
    block.push(item);
    if (block.length < blockSize) continue;
    yield block;
    block = [];
  }
  yield block;
}

function fingerprintOf(item: InputItem, settings: ResolvedSettings): string {
  return item.problem === undefined ? formatFingerprint(itemFingerprint(item, settings)) : '';
}

function changed({ name }: BatchQueue, { line }: InputItem, what: string): Failure {
  return new Failure('usage', `line ${line} of the input ${what} in batch ${name}`, {
    hint: 'use --batch NAME for a new batch, or natter batch collect --remove to delete the old one',
  });
}

/** @throws Failure `usage` if the batch has a different item in its place */
function refuseChanged({ queue, settings }: Submission, item: InputItem, known: KnownItem): void {
  const { fingerprint = '', indexOfId } = known;
  const isMoved = indexOfId !== undefined && indexOfId !== item.index;
  if (isMoved && item.problem === undefined) {
    throw changed(queue, item, `has the id of item ${indexOfId}`);
  }
  if (fingerprint !== '' && fingerprint !== fingerprintOf(item, settings)) {
    throw changed(queue, item, `has a different prompt than item ${item.index}`);
  }
}

/** @returns the number of items that the batch did not have */
async function checkBlock(submission: Submission, block: readonly InputItem[]): Promise<number> {
  const known = await submission.queue.known(block);
  let added = 0;
  for (const [place, item] of block.entries()) {
    const found = known[place] ?? { fingerprint: undefined, indexOfId: undefined };
    submission.checkItem?.(item);
    refuseChanged(submission, item, found);
    const isCorrected = found.fingerprint === '' && item.problem === undefined;
    if (found.fingerprint === undefined || isCorrected) added += 1;
  }
  return added;
}

async function addBlock(submission: Submission, block: readonly InputItem[]): Promise<void> {
  const { queue, settings, attempts, context } = submission;
  const good = block.flatMap((item) => {
    if (item.problem !== undefined) return [];
    const { given: _given, ...sent } = item;
    return [{ ...sent, fingerprint: fingerprintOf(item, settings) }];
  });
  const bad = block.flatMap((item) => {
    if (item.problem === undefined) return [];
    const line = failureLine(context.secrets, item, undefined, unsendable(item)).trimEnd();
    return [{ index: item.index, isAnswered: false, line }];
  });
  await queue.add(good, attempts);
  await queue.addUnsendable(bad);
}

async function addAll(submission: Submission): Promise<{ all: number; added: number }> {
  let all = 0;
  let added = 0;
  for await (const block of blocks(submission)) {
    added += await checkBlock(submission, block);
    await addBlock(submission, block);
    all += block.length;
  }
  return { all, added };
}

function outcome(name: string, all: number, added: number, retried: number): string {
  const before = all === added ? '' : `, ${count(all - added)} were there before`;
  const again = retried === 0 ? '' : `; ${count(retried)} failed before and wait again`;
  return `batch ${name}: ${countOf(added, 'item')} added${before}${again}`;
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
  const { notices, plan, own: settings, check, input } = batch;
  const rate = plan.rateLimits.requests;
  const nothing = () => undefined;
  const { signal } = context;
  const selection = await selectItems({ input, plan }, settings, undefined, nothing, signal);
  const items = { input, plan, selection, check, notices };
  const connection = await connect(context, notices, options);
  try {
    const queue = connection.open(name);
    const checkItem = openSubmitGuard(context, options, settings, connection, input.name);
    const submission = { context, items, queue, settings, attempts, checkItem };
    // Nothing is added if an item of a file is refused; a pipe is added as it is read.
    const inspect = async (block: readonly InputItem[]) =>
      void (await checkBlock(submission, block));
    await checkItems(items, emptyTally(), 0, signal, inspect);
    const header = headerOf(input.name, settings, options.stream, check);
    const isNew = (await queue.header()) === undefined;
    if (isNew) await queue.setHeader(header);
    if (isNew || rate !== undefined) await queue.setRate(rate);
    const { all, added } = await addAll(submission);
    if (!isNew) await queue.setHeader(header);
    const retried = await queue.retryFailed();
    notices.notice(outcome(name, all, added, retried));
  } finally {
    await connection.close();
  }
}
