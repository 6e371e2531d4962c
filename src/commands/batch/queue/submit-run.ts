import { isLoopbackName } from '../../../address.ts';
import type { InputItem } from '../../../batch/input/item.ts';
import {
  type BatchHeader,
  batchNameOf,
  type QueuedItem,
  type QueuedResult,
} from '../../../batch/queue/redis-queue.ts';
import { emptyTally } from '../../../batch/tally.ts';
import { checkItems, openBatch, pendingItems, selectItems } from '../items.ts';
import { failureLine, unsendable } from '../output.ts';
import { parseNumber } from '../plan.ts';
import { type Connect, connectToQueue, type SubmitOptions } from './open-queue.ts';
import { itemText } from '../secret-guard.ts';
import { itemFingerprint } from '../sending/send-item.ts';
import type { StartedRun } from '../../../run.ts';
import { locateSecrets, secretsRefusal } from '../../../input/secret-guard.ts';
import { Failure } from '../../../failure.ts';
import { definedFields } from '../../../json.ts';
import { count, countOf } from '../../../output/figures.ts';
import { withoutSources } from '../../../settings/resolved-settings.ts';

/** Items that are sent to the queue together. */
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
  const selection = await selectItems(batch);
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
    await checkItems(batch, selection, emptyTally(), (item) => void check(item));
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
    for await (const item of pendingItems(batch, selection, emptyTally(), context.signal)) {
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
