import type { Slot } from '../../batch/concurrency.ts';
import type { CircuitBreaker } from '../../batch/circuit-breaker.ts';
import type { BatchItem, InputItem } from '../../batch/input/item.ts';
import { countFailure, type Tally } from '../../batch/tally.ts';
import type { Failure } from '../../failure.ts';
import { toFailure } from '../../output/failure-report.ts';
import { sendItem, type SendOptions, type ItemOutcome } from './answer.ts';
import { itemFingerprint } from './request.ts';
import { failureLine, outcomeLine, unsendable } from './result.ts';
import type { BatchSink } from './sink.ts';
import { withHint } from '../program/remedy-words.ts';
import type { Context } from '../program/context.ts';

export interface BatchWork {
  readonly context: Context;
  readonly asking: SendOptions;
  readonly sink: BatchSink;
  readonly tally: Tally;
  readonly circuitBreaker: CircuitBreaker;
  /** Starts no new items after a failure that would repeat. */
  readonly giveUp: (failure: Failure) => void;
}

function countOutcome({ tally, circuitBreaker, giveUp }: BatchWork, outcome: ItemOutcome): void {
  const { failure, record } = outcome;
  // Tokens of failed answers are billed, too.
  tally.tokens += record.usage?.total_tokens ?? 0;
  if (failure === undefined) {
    tally.answered += 1;
    circuitBreaker.answered();
    return;
  }
  countFailure(tally, failure.kind);
  if (circuitBreaker.failed(failure)) giveUp(failure);
}

async function answer(
  work: BatchWork,
  item: BatchItem,
  sequence: number,
  slot: Slot,
): Promise<boolean> {
  const { context, asking, sink } = work;
  const fingerprint = itemFingerprint(item, asking.settings);
  const { index } = item;
  let outcome: ItemOutcome;
  try {
    outcome = await sendItem(asking, item.content, slot);
  } catch (error) {
    const failure = withHint(toFailure(error));
    countFailure(work.tally, failure.kind);
    const line = failureLine(context, item, fingerprint, failure);
    await sink.put(sequence, { index, fingerprint, isAnswered: false }, line);
    return false;
  }
  const { failure, content, wasStopped } = outcome;
  // Cancelled before any text: no result, so it is sent again next time.
  if (wasStopped && content === '') return false;
  const isAnswered = failure === undefined;
  const line = outcomeLine(context, item, fingerprint, outcome);
  countOutcome(work, outcome);
  await sink.put(sequence, { index, fingerprint, isAnswered }, line);
  return isAnswered;
}

/**
 * Sends one item, counts the outcome and writes the result. @returns whether it was answered
 * @throws Failure `storage` when the result cannot be saved
 */
export async function workItem(
  work: BatchWork,
  item: InputItem,
  sequence: number,
  slot: Slot,
): Promise<boolean> {
  if (item.problem === undefined) return answer(work, item, sequence, slot);
  const failure = unsendable(item);
  countFailure(work.tally, failure.kind);
  const result = { index: item.index, fingerprint: undefined, isAnswered: false };
  await work.sink.put(sequence, result, failureLine(work.context, item, undefined, failure));
  return false;
}
