import { type Answer, ask, type Sink } from '../../../ask/ask.ts';
import { type AnswerCheck, askUntilConforming, resultOf } from '../../../ask/check.ts';
import { askModels, type Chain, chooseModel } from '../../../ask/fallback.ts';
import { promptFingerprint } from '../../../batch/fingerprint.ts';
import type { BatchItem, ItemContent } from '../../../batch/input/item.ts';
import { textMessages } from '../../../conversation/message-text.ts';
import type { CompletionRequest, Message } from '../../../client/contract.ts';
import { followSignals } from '../../../client/http/timer.ts';
import { rephrase } from '../../../client/failure/change-failure.ts';
import { stoppedAnswer } from '../../../output/ending-failure.ts';
import { type ResolvedSettings, withValues } from '../../../settings/resolved-settings.ts';
import { definedFields } from '../../../json.ts';
import { withRequestHint } from '../../../cli/report.ts';
import type { GuardedRequest } from '../../../input/secret-guard.ts';
import type { SendingRun } from '../plan.ts';
import { planRequest, type PlannedRequest } from '../../../ask/plan-request.ts';
import type { Permission } from '../../../batch/admission.ts';

/** An item's messages after its own system prompt, else the command's, unless the first message is one already. */
function itemMessages(
  { messages, system }: ItemContent,
  settings: ResolvedSettings,
): readonly Message[] {
  const role = messages[0]?.role;
  const hasOne = role === 'system' || role === 'developer';
  const content = system ?? (hasOne ? undefined : settings.values.system);
  return content === undefined || content === ''
    ? messages
    : [{ role: 'system', content }, ...messages];
}

export function itemFingerprint({ id, content }: BatchItem, settings: ResolvedSettings): string {
  return promptFingerprint(id, itemMessages(content, settings));
}

/** The request of an item, and how it fits. @throws Failure `invalid_request` if it cannot fit the model's window */
export function planItem(
  content: ItemContent,
  settings: ResolvedSettings,
  stream: boolean,
): PlannedRequest {
  const { model, maxTokens, params } = content;
  const messages = itemMessages(content, settings);
  const hasOwn = model !== undefined || maxTokens !== undefined;
  const own = hasOwn ? withValues(settings, definedFields({ model, maxTokens })) : settings;
  const planned = planRequest(own, textMessages(messages), content.stream ?? stream);
  const request = { ...planned.request, messages };
  if (params === undefined) return { ...planned, request };
  return { ...planned, request: { ...request, params: { ...request.params, ...params } } };
}

/** What ends requests: `stop` cancels pending retries, `cancel` running requests, too. */
interface RunSignals {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
}

/** The answer to an item, with all text that was received before a failure. */
export interface ItemOutcome extends Answer {
  readonly requestedModel: string;
  /** The service refused it, and has answered no other item for too long. */
  readonly isStarved: boolean;
}

/** Keeps the longest text when a retry fails earlier than the attempt before. */
function longer(before: ItemOutcome | undefined, outcome: ItemOutcome): ItemOutcome {
  const { failure, content, isStopped, isStarved } = outcome;
  if (before === undefined || failure === undefined) return outcome;
  if (before.content.length <= content.length) return outcome;
  return { ...before, failure, isStopped, isStarved };
}

/** Sends a request of an item, and again after a 429 and after a cut answer. */
async function sendRequest(
  { service: { client }, plan, context: { clock } }: SendingRun,
  { stop, cancel }: RunSignals,
  { request, redaction: guard }: GuardedRequest,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  const { controller: cancellation, unfollow } = followSignals(cancel);
  const { signal } = cancellation;
  let isRefused = false;
  /** Monotonic time of the next retry, before which the end of the run cancels the request. */
  let retryAt = 0;
  const cancelRetry = () => {
    if (stop.aborted && clock.monotonic() < retryAt) cancellation.abort(stop.reason);
  };
  const throttle = permission && {
    async beforeRequest() {
      if (!(await permission.beforeRequest())) cancellation.abort(stop.reason);
    },
    onResponse: permission.onResponse,
    onRefusal(wait: number | undefined) {
      isRefused = true;
      permission.onRefusal(wait);
    },
  };
  const send = () => client.chat(request, { signal, ...(throttle && { throttle }) });
  const sink: Sink = {
    event(event) {
      if (event.type === 'retry-scheduled') {
        retryAt = clock.monotonic() + event.delay;
        stop.addEventListener('abort', cancelRetry);
        cancelRetry();
      }
      return undefined;
    },
  };
  let [attempts, cuts] = [0, 0];
  let longest: ItemOutcome | undefined;
  try {
    for (;;) {
      isRefused = false;
      const answer = await ask({ send, clock, signal, guard }, sink);
      const failure = answer.isStopped ? stoppedAnswer() : answer.failure;
      const outcome = { ...answer, failure, requestedModel: request.model, isStarved: false };
      attempts += outcome.metadata.attempts ?? 1;
      longest = longer(longest, outcome);
      if (isRefused && !outcome.isStopped && permission !== undefined) {
        const next = await permission.afterRefusal();
        if (next === 'again') continue;
        if (next === 'stopped' || failure === undefined) {
          longest = longer(longest, { ...outcome, failure: stoppedAnswer(), isStopped: true });
        } else {
          // Why it is not sent again.
          const after = attempts === 1 ? '' : ` (after ${attempts} attempts)`;
          const message = `${failure.message}${after}`;
          const refused = rephrase(failure, { message, attempts });
          longest = longer(longest, { ...outcome, failure: refused, isStarved: true });
        }
      } else {
        cuts += 1;
        const isCut = failure?.kind === 'incomplete' && !outcome.isStopped;
        if (isCut && cuts <= plan.retryIncomplete) continue;
      }
      return { ...longest, metadata: { ...longest.metadata, attempts } };
    }
  } finally {
    unfollow();
    stop.removeEventListener('abort', cancelRetry);
  }
}

/** Sends an item until its answer conforms. @param send sends until it is answered, or has failed for good */
export async function sendChecked(
  check: AnswerCheck,
  request: CompletionRequest,
  send: (messages: readonly Message[]) => Promise<ItemOutcome>,
  mayAskAgain: () => boolean,
): Promise<ItemOutcome> {
  const { model, messages } = request;
  const given = await askUntilConforming({ check, messages, send, onMismatch: mayAskAgain });
  const { earlier, last } = given;
  const before = earlier.at(-1);
  const isCancelled = last.answer.isStopped && last.answer.content === '';
  // An answer that was cancelled before its text is left out: the one before it is the outcome.
  const answers =
    isCancelled && before !== undefined ? { earlier: earlier.slice(0, -1), last: before } : given;
  // The budget refused to ask again: the answer before has been paid for.
  const paid = last.answer.failure?.kind === 'budget' ? before?.answer : undefined;
  const { checked, failure, metadata } = resultOf(check, answers, model);
  return { ...(paid ?? answers.last.answer), metadata, failure, checked };
}

/**
 * Sends one item until it is answered, or all models have failed for good. A model that answered is asked again if its
 * answer does not conform.
 * @throws Failure for an item that cannot be sent, at once
 */
export async function sendItem(
  run: SendingRun,
  signals: RunSignals,
  content: ItemContent,
  permission: Permission | undefined,
  models: Chain['models'],
  onStep: Chain['onStep'],
): Promise<ItemOutcome> {
  const { stream, check, guard, service } = run;
  const { model: _model, ...withoutModel } = content;
  const chain: Chain = {
    models,
    // Only the first model may be replaced by the item's own.
    plan: ({ settings }, isFirst) => planItem(isFirst ? content : withoutModel, settings, stream),
    onStep,
  };
  let from = chooseModel(chain);
  const planned = from.planned.request;
  // All attempts send the same messages, which have the same placeholders.
  const first = guard?.(planned) ?? { request: planned };
  const { request } = first;
  const send = async (messages: readonly Message[]) => {
    const given = await askModels(chain, from, async ({ model, failed, planned: own }) => {
      const guarded = { ...first, request: { ...own.request, messages } };
      if (failed.length === 0) return sendRequest(run, signals, guarded, permission);
      // The limits that a batch learns are those of the first service: the client of this one waits and retries itself.
      const next = { ...service, client: await service.clientOf(model.settings) };
      return sendRequest({ ...run, service: next }, signals, guarded, undefined);
    });
    from = given.choice;
    const { failure } = given;
    return { ...given, failure: failure && withRequestHint(failure, from.model.settings) };
  };
  if (check === undefined) return send(request.messages);
  return sendChecked(check, request, send, () => !signals.stop.aborted);
}
