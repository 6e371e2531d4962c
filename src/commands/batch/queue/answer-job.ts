import type { CircuitBreaker } from '../../../batch/circuit-breaker.ts';
import { parseFingerprint } from '../../../batch/fingerprint.ts';
import type { BatchQueue, JobOutcome, QueueJob } from '../../../batch/queue/batch-queue.ts';
import { countFailure } from '../../../batch/tally.ts';
import { isTransient } from '../../../batch/transient-failure.ts';
import type { Failure } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { withRequestHint } from '../../program/report.ts';
import type { Secrets } from '../../program/secrets.ts';
import type { Permission } from '../sending/admission.ts';
import { failureLine, outcomeLine } from '../output/result.ts';
import { countAnswer, countRequests, isUnsent } from '../sending/count-outcome.ts';
import type { ItemOutcome } from '../sending/item-attempt.ts';
import { sendItem, type SendOptions } from '../sending/send-item.ts';
import { noteTruncation, type TruncationRun } from '../sending/truncation.ts';
import type { ResultKeeper } from './result-keeper.ts';

export interface JobProcessing extends TruncationRun {
  readonly secrets: Secrets;
  readonly sending: SendOptions;
  readonly queue: Pick<BatchQueue, 'hasAnswer' | 'pause'>;
  readonly keeper: ResultKeeper;
  readonly circuitBreaker: CircuitBreaker;
  /** Starts no new items, because the failure would repeat. */
  readonly stopRun: (failure: Failure) => void;
}

/** A cut answer has been paid for, so only a new submission asks again. */
const isRetried = (failure: Failure) => isTransient(failure) && failure.kind !== 'incomplete';

async function endFailed(
  processing: JobProcessing,
  { item, isLastAttempt }: QueueJob,
  failure: Failure,
  line: string,
): Promise<JobOutcome> {
  const { kind } = failure;
  await processing.keeper.put({ index: item.index, isAnswered: false, line: line.trimEnd() });
  const isAttemptedAgain = isRetried(failure);
  if (!isAttemptedAgain || isLastAttempt) countFailure(processing.tally, failure, item);
  return { state: isAttemptedAgain ? 'transient' : 'failed', kind };
}

async function endSent(
  processing: JobProcessing,
  job: QueueJob,
  outcome: ItemOutcome,
): Promise<JobOutcome> {
  const { secrets, keeper, tally, circuitBreaker, stopRun } = processing;
  const { item } = job;
  const { failure, isStopped, isStarved, content } = outcome;
  const isRefused = failure !== undefined && isUnsent(failure);
  if (isRefused) stopRun(failure);
  if (isRefused || (isStopped && content === '')) return { state: 'returned' };
  countRequests(tally, outcome);
  const line = outcomeLine(secrets, item, parseFingerprint(item.fingerprint) ?? 0n, outcome);
  if (failure === undefined) {
    countAnswer(tally, outcome);
    circuitBreaker.answered();
    await keeper.put({ index: item.index, isAnswered: true, line: line.trimEnd() });
    return { state: 'answered' };
  }
  // The other workers would be refused, too. Without this pause they find out themselves.
  const pause = isStarved ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
  if (pause > 0) processing.queue.pause(pause).catch(() => undefined);
  const stops = !isStopped && circuitBreaker.failed(failure);
  if (stops) stopRun(failure);
  if (!stops && !isStopped) return endFailed(processing, job, failure, line);
  // A different worker can answer it; its text is kept meanwhile.
  await keeper.put({ index: item.index, isAnswered: false, line: line.trimEnd() });
  return { state: 'returned' };
}

/** Sends the item of a job and keeps its result, unless a worker that was killed had answered it. */
export async function answerJob(
  processing: JobProcessing,
  job: QueueJob,
  permission: Permission,
): Promise<JobOutcome> {
  const { secrets, sending, queue } = processing;
  const { item, starts } = job;
  if (starts > 1 && (await queue.hasAnswer(item.index))) return { state: 'answered' };
  let outcome: ItemOutcome;
  try {
    outcome = noteTruncation(processing, await sendItem(sending, item.content, permission));
  } catch (error) {
    const failure = withRequestHint(toFailure(error), sending.settings);
    const line = failureLine(secrets, item, parseFingerprint(item.fingerprint), failure);
    return endFailed(processing, job, failure, line);
  }
  return endSent(processing, job, outcome);
}
