import type { CircuitBreaker } from '../../../batch/circuit-breaker.ts';
import type { BatchItem, InputItem, Problem } from '../../../batch/input/item.ts';
import { countFailure } from '../../../batch/tally.ts';
import type { Failure } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { withRequestHint } from '../../program/report.ts';
import type { Secrets } from '../../program/secrets.ts';
import type { Permission } from './admission.ts';
import { failureLine, outcomeLine, unsendable } from '../output/result.ts';
import { countAnswer, countRequests, isUnsent } from './count-outcome.ts';
import type { ItemOutcome } from './item-attempt.ts';
import { itemFingerprint, sendItem, type SendOptions } from './send-item.ts';
import type { BatchSink } from '../output/sink.ts';
import type { BatchFallback } from './fallback.ts';
import { noteTruncation, type TruncationRun } from './truncation.ts';

export interface ItemProcessing extends TruncationRun {
  readonly secrets: Secrets;
  readonly sending: SendOptions;
  readonly sink: BatchSink;
  readonly circuitBreaker: CircuitBreaker;
  readonly fallback: BatchFallback | undefined;
  /** Starts no new items, because the failure would repeat. */
  readonly stopRun: (failure: Failure) => void;
}

interface SentItem {
  readonly item: BatchItem;
  /** Number of the item in start order, from 0. */
  readonly sequence: number;
  readonly fingerprint: bigint;
  readonly permission: Permission;
}

function countOutcome(
  { tally, circuitBreaker, stopRun }: ItemProcessing,
  item: BatchItem,
  outcome: ItemOutcome,
): void {
  const { failure, isStarved } = outcome;
  countRequests(tally, outcome);
  if (failure === undefined) {
    countAnswer(tally, outcome);
    circuitBreaker.answered();
    return;
  }
  countFailure(tally, failure, item);
  if (isStarved || circuitBreaker.failed(failure)) stopRun(failure);
}

function failItem(
  processing: ItemProcessing,
  { item, sequence, fingerprint, permission }: SentItem,
  error: unknown,
): Promise<void> | undefined {
  const { secrets, sending, sink } = processing;
  const { index } = item;
  permission.end(false, undefined);
  const failure = withRequestHint(toFailure(error), sending.settings);
  countFailure(processing.tally, failure, item);
  const line = failureLine(secrets, item, fingerprint, failure);
  return sink.put(sequence, item, { index, fingerprint, isAnswered: false }, line);
}

/** Counts the outcome and writes the result. */
function finishItem(
  processing: ItemProcessing,
  { item, sequence, fingerprint, permission }: SentItem,
  outcome: ItemOutcome,
): Promise<void> | undefined {
  const { secrets, sink } = processing;
  const { index } = item;
  const { failure, content, isStopped } = outcome;
  const isRefused = failure !== undefined && isUnsent(failure);
  if (isRefused) processing.stopRun(failure);
  // Cancelled or refused before any text: without a result, the next run sends it again.
  if ((isRefused || isStopped) && content === '') {
    permission.end(false, undefined);
    return undefined;
  }
  const isAnswered = failure === undefined;
  const line = outcomeLine(secrets, item, fingerprint, outcome);
  countOutcome(processing, item, outcome);
  permission.end(isAnswered, outcome.metadata.usage?.total_tokens);
  return sink.put(sequence, item, { index, fingerprint, isAnswered }, line);
}

/** With few variables, because V8 keeps all those of an async function for each call. */
async function answerItem(processing: ItemProcessing, sent: SentItem): Promise<void> {
  const { sending, fallback } = processing;
  const { content } = sent.item;
  let outcome: ItemOutcome;
  try {
    outcome = await (fallback?.send(content, sent.permission) ??
      sendItem(sending, content, sent.permission));
    outcome = noteTruncation(processing, outcome);
  } catch (error) {
    await failItem(processing, sent, error);
    return;
  }
  await finishItem(processing, sent, outcome);
}

async function refuseItem(
  { secrets, sink, tally }: ItemProcessing,
  item: InputItem & Problem,
  sequence: number,
): Promise<void> {
  const failure = unsendable(item);
  countFailure(tally, failure, item);
  const result = { index: item.index, fingerprint: undefined, isAnswered: false };
  await sink.put(sequence, item, result, failureLine(secrets, item, undefined, failure));
}

/**
 * Sends one item, counts the outcome and writes the result.
 * @throws Failure `storage` if the result cannot be saved
 */
export function processItem(
  processing: ItemProcessing,
  item: InputItem,
  sequence: number,
  permission: Permission,
): Promise<void> {
  if (item.problem !== undefined) return refuseItem(processing, item, sequence);
  const fingerprint = itemFingerprint(item, processing.sending.settings);
  return answerItem(processing, { item, sequence, fingerprint, permission });
}
