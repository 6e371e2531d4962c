// The pipeline of items, the same for a file and for a queue: admission, request, count, result.

import { estimateRequest } from '../../../usage/budget.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { InputItem } from '../../../batch/input/item.ts';
import { Admission, type Permission } from '../../../batch/admission.ts';
import { createCircuitBreaker, itemsLeft, type Tally } from '../../../batch/tally.ts';
import { failureLine, outcomeLine, unsendable } from '../output.ts';
import type { SendingRun } from '../plan.ts';
import { showProgress } from '../report/progress.ts';
import {
  type Ending,
  endingOf,
  type EndTexts,
  reportEnd,
  type RunNames,
} from '../report/ending.ts';
import { itemFingerprint, type ItemOutcome, planItem, sendItem } from './send-item.ts';
import { type Stopping, watchStopping } from '../stopping.ts';
import { withRequestHint } from '../../../cli/report.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { truncationFailure, truncationWarning } from '../../../output/notices.ts';
import { type Chain, fallbackModels } from '../../../ask/fallback.ts';
import { count } from '../../../output/figures.ts';

/** Minimum consecutive failures that stop a run; more with higher concurrency. */
const minFailures = 10;

/** Milliseconds; `Infinity` without a limit. */
const maxWaitOf = ({ values }: ResolvedSettings): number => values.retryMaxWait || Infinity;

/**
 * Counts a prompt that was probably cut, and warns about the first one.
 * @returns the outcome; with `--strict` a failure, whose text is kept
 */
export function noteTruncation(
  outcome: ItemOutcome,
  tally: Tally,
  isStrict: boolean,
  warn: (text: string) => void,
): ItemOutcome {
  const { metadata, failure } = outcome;
  if (metadata.estimatedPromptTokens === undefined) return outcome;
  tally.truncated += 1;
  if (tally.truncated === 1) {
    warn(`${truncationWarning(metadata)} (results have truncated_suspected)`);
  }
  if (!isStrict || failure !== undefined) return outcome;
  return { ...outcome, failure: truncationFailure(metadata) };
}

/**
 * Makes the function that sends an item, and ends its permission. It counts an answer, and decides whether the run goes
 * on; the caller counts a failure. It returns:
 *
 * - `line`: the result in natter's own format; undefined if nothing was received, and the item is sent again later;
 * - `fingerprint`: undefined for an item that cannot be sent;
 * - `isStopped`: the run stops, because of this failure or another reason;
 * - `isStarved`: the service refused it, and has answered no other item for too long.
 * @throws Failure for a bad fallback, before any item
 */
function openAnswers(
  run: SendingRun,
  stopping: Stopping,
  onStep: Chain['onStep'],
  warn: (text: string) => void,
) {
  const models = fallbackModels(run, run.check);
  const { context, options, plan, service, settings, tally } = run;
  const most = Math.max(minFailures, 2 * plan.concurrency);
  const circuitBreaker = createCircuitBreaker({
    most,
    maxWait: maxWaitOf(settings),
    isReplay: service.replayedFrom !== undefined,
    mostAlike: options.keepGoing === true ? Infinity : most,
    hasAnswers: () => tally.already > 0,
  });
  return async (item: InputItem, permission: Permission) => {
    let fingerprint: string | undefined;
    let outcome: ItemOutcome;
    try {
      if (item.problem !== undefined) throw unsendable(item);
      fingerprint = itemFingerprint(item, settings);
      outcome = await sendItem(run, stopping, item.content, permission, models, onStep);
    } catch (error) {
      permission.end(false, undefined);
      const failure = withRequestHint(toFailure(error), settings);
      const line = failureLine(context.secrets, item, fingerprint, failure);
      return { line, fingerprint, failure, isStopped: false, isStarved: false };
    }
    outcome = noteTruncation(outcome, tally, options.strict === true, warn);
    const { failure, content, metadata, isStarved } = outcome;
    // No request was sent, because of a budget or of a setting that all items have in common.
    const isUnsent =
      failure?.kind === 'budget' ||
      (failure?.kind === 'configuration' && failure.attempts === undefined);
    let isStopped = isUnsent || outcome.isStopped;
    if (isUnsent) stopping.fail(failure);
    // Cancelled or refused before any text: without a result, it is sent again later.
    if (isStopped && content === '') {
      permission.end(false, undefined);
      return { line: undefined, fingerprint, failure, isStopped, isStarved };
    }
    const { usage, attempts = 1, timing } = metadata;
    // They are billed also if the answer failed.
    tally.tokens += usage?.total_tokens ?? 0;
    tally.promptTokens += usage?.prompt_tokens ?? 0;
    tally.completionTokens += usage?.completion_tokens ?? 0;
    tally.attempts += attempts;
    if (failure === undefined) {
      circuitBreaker.answered();
      tally.answered += 1;
      if (timing !== undefined) tally.latency.add(timing.total);
      if (timing?.firstText !== undefined) tally.firstText.add(timing.firstText);
    } else if (!isStopped) {
      isStopped = (isStarved && run.stopsStarved) || circuitBreaker.failed(failure);
      if (isStopped) stopping.fail(failure);
    }
    permission.end(failure === undefined, usage?.total_tokens);
    const line = outcomeLine(context.secrets, item, fingerprint, outcome);
    return { line, fingerprint, failure, isStopped, isStarved };
  };
}

/** How a file and a queue send their items: each is admitted, then answered. */
export interface Pipeline {
  readonly stopping: Stopping;
  readonly admit: Admission['admit'];
  readonly answer: ReturnType<typeof openAnswers>;
}

/**
 * Sends items, and reports how that ended.
 * @param work gives items to the pipeline until all have ended
 * @param finish is called then
 * @throws Failure, or an interruption
 */
export async function runAndReport(
  run: SendingRun,
  names: RunNames,
  work: (pipeline: Pipeline) => Promise<void>,
  finish: () => Promise<EndTexts>,
): Promise<void> {
  const { context, presentation, plan, settings } = run;
  const { clock } = context;
  const [begin, start] = [clock.date(), clock.monotonic()];
  const stopping = watchStopping(run, () => progress.clear());
  const { stop } = stopping;
  const nothing = { prompt: 0, answer: 0 };
  const admission = new Admission({
    clock: run.service.clock,
    most: plan.concurrency,
    rateLimits: plan.rateLimits,
    retries: settings.values.retries,
    maxWait: maxWaitOf(settings),
    stop,
    estimate({ content }) {
      if (plan.rateLimits.tokens === undefined || content === undefined) return nothing;
      try {
        return estimateRequest(planItem(content, settings, false).request);
      } catch {
        // An item that cannot be sent: sending it reports why.
        return nothing;
      }
    },
    onPause: run.onPause,
  });
  const progress = showProgress(run, admission, stop);
  const warn = (text: string) => {
    progress.clear();
    presentation.notices.warning(text);
  };
  /** How often items went from one model to another. */
  const steps = new Map<string, number>();
  const onStep: Chain['onStep'] = (failed, next, text) => {
    const step = `${failed.label} to ${next.label}`;
    const before = steps.get(step) ?? 0;
    steps.set(step, before + 1);
    if (before === 0) warn(text);
  };
  let ending: Ending;
  try {
    try {
      await work({
        stopping,
        admit: (item) => admission.admit(item),
        answer: openAnswers(run, stopping, onStep, warn),
      });
      stopping.rethrow();
    } finally {
      progress.end();
      for (const [step, number] of steps) {
        if (number > 1) warn(`${count(number)} items fell back from ${step}`);
      }
      stopping.end();
    }
    const elapsed = clock.monotonic() - start;
    ending = endingOf(run, stopping, elapsed, await finish());
  } catch (error) {
    const [elapsed, left] = [clock.monotonic() - start, itemsLeft(run.tally)];
    ending = { elapsed, stoppedBy: null, left, notice: undefined, error };
  }
  reportEnd(run, begin, names, ending);
}
