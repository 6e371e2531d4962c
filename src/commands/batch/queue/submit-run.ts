import { isLoopbackName } from '../../../address.ts';
import type { InputItem } from '../../../batch/input/item.ts';
import type { Selection } from '../../../batch/input/select-items.ts';
import {
  type BatchHeader,
  batchNameOf,
  type QueuedItem,
  type QueuedResult,
  type BatchQueue,
} from '../../../batch/queue/redis-queue.ts';
import type { QueueConnection } from '../../../batch/queue/connect.ts';
import { emptyTally } from '../../../batch/tally.ts';
import { type Batch, checkItems, openBatch, pendingItems, selectItems } from '../items.ts';
import { failureLine, unsendable } from '../output/result.ts';
import { parseNumber } from '../plan.ts';
import { type Connect, connectToQueue, type SubmitOptions } from './open-queue.ts';
import { itemText } from '../secret-guard.ts';
import type { StartedRun } from '../../../run.ts';
import { locateSecrets, secretsRefusal } from '../../../input/secret-guard.ts';
import { Failure } from '../../../failure.ts';
import { definedFields } from '../../../json.ts';
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

function headerOf({ input, own, options, check }: Batch): BatchHeader {
  const { model, system, maxTokens } = own.values;
  // Workers decide about `response_format` by their own profile.
  const checked = check && {
    retries: check.retries,
    ...definedFields({
      schema: check.schema && JSON.stringify(check.schema),
      select: check.pointer,
    }),
  };
  return {
    input: input.name,
    model,
    params: withoutSources(own.params),
    stream: options.stream,
    ...definedFields({ system, maxTokens, check: checked }),
  };
}

/** Empty for an item that cannot be sent. */
const fingerprintOf = (item: InputItem, { fingerprint }: Selection) =>
  item.problem === undefined ? fingerprint(item) : '';

/**
 * @returns the number of items that the batch did not have
 * @throws Failure `usage` if the batch has a different item in the place of one, or `secrets`
 */
async function checkBlock(
  { queue, selection, checkItem }: Submission,
  block: readonly InputItem[],
): Promise<number> {
  const known = await queue.known(block.map(({ index }) => index));
  let added = 0;
  for (const [place, item] of block.entries()) {
    const { line, index, problem } = item;
    const fingerprint = known[place];
    checkItem(item);
    const isKnown = fingerprint !== undefined && fingerprint !== '';
    if (isKnown && fingerprint !== fingerprintOf(item, selection)) {
      const message = `line ${line} of the input has a different prompt or id than item ${index} in batch ${queue.name}`;
      throw new Failure('usage', message, {
        hint: 'use --batch NAME for a new batch, or ‹natter batch collect --remove› to delete the old one',
      });
    }
    const isCorrected = fingerprint === '' && problem === undefined;
    if (fingerprint === undefined || isCorrected) added += 1;
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
    let [all, added] = [0, 0];
    const blocks = createBlocks(async (block) => {
      added += await checkBlock(submission, block);
      await addBlock(submission, block);
      all += block.length;
    });
    const items = pendingItems(batch, selection, emptyTally(), context.signal);
    for await (const item of items) await blocks.add(item);
    await blocks.flush();
    if (!isNew) await queue.setHeader(header);
    const retried = await queue.retryFailed();
    const before = all === added ? '' : `, ${count(all - added)} were there before`;
    const again = retried === 0 ? '' : `; ${count(retried)} failed before and wait again`;
    notices.notice(`batch ${name}: ${countOf(added, 'item')} added${before}${again}`);
  } finally {
    await connection.close();
  }
}
