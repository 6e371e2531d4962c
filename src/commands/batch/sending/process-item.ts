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
import type { Spending } from './spending.ts';
import { noteTruncation, type TruncationRun } from './truncation.ts';

export interface ItemProcessing extends TruncationRun {
  readonly secrets: Secrets;
  readonly sending: SendOptions;
  readonly sink: BatchSink;
  readonly circuitBreaker: CircuitBreaker;
  readonly spending: Spending | undefined;
  readonly fallback: BatchFallback | undefined;
  /** Starts no new items, because the failure would repeat. */
  readonly stopRun: (failure: Failure) => void;
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

async function answerItem(
  processing: ItemProcessing,
  item: BatchItem,
  sequence: number,
  permission: Permission,
): Promise<void> {
  const { secrets, sending, sink, fallback } = processing;
  const fingerprint = itemFingerprint(item, sending.settings);
  const { index } = item;
  let outcome: ItemOutcome;
  try {
    const sent = await (fallback?.send(item.content, permission) ??
      sendItem(sending, item.content, permission));
    outcome = noteTruncation(processing, sent);
  } catch (error) {
    processing.spending?.settle(index, undefined);
    permission.end(false, undefined);
    const failure = withRequestHint(toFailure(error), sending.settings);
    countFailure(processing.tally, failure, item);
    const line = failureLine(secrets, item, fingerprint, failure);
    await sink.put(sequence, item, { index, fingerprint, isAnswered: false }, line);
    return;
  }
  const { failure, content, wasStopped } = outcome;
  processing.spending?.settle(index, outcome);
  const isRefused = failure !== undefined && isUnsent(failure);
  if (isRefused) processing.stopRun(failure);
  // Cancelled or refused before any text: without a result, the next run sends it again.
  if ((isRefused || wasStopped) && content === '') {
    permission.end(false, undefined);
    return;
  }
  const isAnswered = failure === undefined;
  const line = outcomeLine(secrets, item, fingerprint, outcome);
  countOutcome(processing, item, outcome);
  permission.end(isAnswered, outcome.metadata.usage?.total_tokens);
  await sink.put(sequence, item, { index, fingerprint, isAnswered }, line);
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
  return item.problem === undefined
    ? answerItem(processing, item, sequence, permission)
    : refuseItem(processing, item, sequence);
}
