import {
  type AnswerCheck,
  askUntilConforming,
  checkedFields,
  type CheckedAnswers,
  failureOf,
  lastOf,
  metadataOf,
} from '../../../ask/check.ts';
import { promptFingerprint } from '../../../batch/fingerprint.ts';
import type { BatchItem, ItemContent } from '../../../batch/input/item.ts';
import { textMessages } from '../../../conversation/message-text.ts';
import type { CompletionRequest, Message } from '../../../client/contract.ts';
import { rephrase } from '../../../client/failure/request-failure.ts';
import { stoppedAnswer } from '../../../output/ending-failure.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { withRequestHint } from '../../program/report.ts';

import { buildRequest, planRequest, type PlannedRequest } from '../../../ask/plan-request.ts';
import type { Permission } from './admission.ts';
import { type AttemptOptions, ItemAttempt, type ItemOutcome } from './item-attempt.ts';

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

/** See `promptFingerprint`. */
export function itemFingerprint({ id, content }: BatchItem, settings: ResolvedSettings): bigint {
  return promptFingerprint(id, itemMessages(content, settings));
}

/** The settings with the model and the limit of an item that has its own. */
function itemSettings(
  { model, maxTokens }: ItemContent,
  settings: ResolvedSettings,
): ResolvedSettings {
  if (model === undefined && maxTokens === undefined) return settings;
  const { values } = settings;
  return {
    ...settings,
    values: {
      ...values,
      model: model ?? values.model,
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
  };
}

/** The request of an item, and how it fits. @throws Failure as {@link itemRequest} */
export function planItem(
  content: ItemContent,
  settings: ResolvedSettings,
  stream: boolean,
): PlannedRequest {
  const messages = itemMessages(content, settings);
  const planned = planRequest(
    itemSettings(content, settings),
    textMessages(messages),
    content.stream ?? stream,
  );
  return { ...planned, request: withContent(planned.request, content, messages) };
}

/** The request of an item. @throws Failure `invalid_request` if it cannot fit the model's context window */
function itemRequest(
  content: ItemContent,
  settings: ResolvedSettings,
  stream: boolean,
): CompletionRequest {
  const messages = itemMessages(content, settings);
  const texts = textMessages(messages);
  const { request } = buildRequest(
    itemSettings(content, settings),
    texts,
    content.stream ?? stream,
  );
  return texts === messages && content.params === undefined
    ? request
    : withContent(request, content, messages);
}

function withContent(
  request: CompletionRequest,
  { params }: ItemContent,
  messages: readonly Message[],
): CompletionRequest {
  return params === undefined
    ? { ...request, messages }
    : { ...request, messages, params: { ...request.params, ...params } };
}

export interface SendOptions extends AttemptOptions {
  readonly settings: ResolvedSettings;
  readonly stream: boolean;
  /** Retries after a cut answer. The client never retries one, because it is billed twice. */
  readonly retryIncomplete: number;
  /** Undefined if answers are not checked. */
  readonly check?: AnswerCheck | undefined;
}

/** One attempt, with hints of the command line. */
async function outcomeOf(
  attempt: ItemAttempt,
  request: CompletionRequest,
  settings: ResolvedSettings,
): Promise<ItemOutcome> {
  const answer = await attempt.send(request);
  const outcome = { ...answer, requestedModel: request.model, isStarved: false };
  if (answer.isStopped) return { ...outcome, failure: stoppedAnswer() };
  const { failure } = answer;
  return failure === undefined
    ? outcome
    : { ...outcome, failure: withRequestHint(failure, settings) };
}

/** The outcome of an item whose last attempt was refused, and which is not sent again. */
function refusedOutcome(outcome: ItemOutcome, attempts: number, isStarved: boolean): ItemOutcome {
  const { failure } = outcome;
  if (!isStarved || failure === undefined) {
    return { ...outcome, failure: stoppedAnswer(), isStopped: true };
  }
  const message =
    attempts === 1 ? failure.message : `${failure.message} (after ${attempts} attempts)`;
  return { ...outcome, failure: rephrase(failure, { message, attempts }), isStarved };
}

/** Keeps the longest text when a retry fails earlier than the attempt before. */
function longer(before: ItemOutcome | undefined, outcome: ItemOutcome): ItemOutcome {
  const { failure, content } = outcome;
  if (before === undefined || failure === undefined) return outcome;
  const { isStopped, isStarved } = outcome;
  return before.content.length > content.length
    ? { ...before, failure, isStopped, isStarved }
    : outcome;
}

async function sendRequest(
  options: SendOptions,
  request: CompletionRequest,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  let attempts = 0;
  let cuts = 0;
  let longest: ItemOutcome | undefined;
  for (;;) {
    const attempt = new ItemAttempt(options, permission);
    const outcome = await outcomeOf(attempt, request, options.settings);
    attempts += outcome.metadata.attempts ?? 1;
    longest = longer(longest, outcome);
    if (attempt.isRefused && !outcome.isStopped && permission !== undefined) {
      const next = await permission.afterRefusal();
      if (next === 'again') continue;
      longest = longer(longest, refusedOutcome(outcome, attempts, next === 'starved'));
    } else {
      const isCut = outcome.failure?.kind === 'incomplete' && !outcome.isStopped;
      cuts += 1;
      if (isCut && cuts <= options.retryIncomplete) continue;
    }
    if (longest.metadata.attempts === attempts) return longest;
    return { ...longest, metadata: { ...longest.metadata, attempts } };
  }
}

/** Without an answer that was cancelled before its text: the one before is the outcome. */
function withoutCancelled(answers: CheckedAnswers<ItemOutcome>): CheckedAnswers<ItemOutcome> {
  const { isStopped, content } = lastOf(answers).answer;
  const earlier = answers.slice(0, -1);
  const before = earlier.pop();
  const isMissing = isStopped && content === '';
  return isMissing && before !== undefined ? [...earlier, before] : answers;
}

/** Sends an item until its answer conforms. @param send sends until it is answered, or has failed for good */
export async function sendChecked(
  check: AnswerCheck,
  request: CompletionRequest,
  send: (messages: readonly Message[]) => Promise<ItemOutcome>,
  mayAskAgain: () => boolean,
): Promise<ItemOutcome> {
  const { model, messages } = request;
  const answers = withoutCancelled(
    await askUntilConforming({ check, messages, send, onMismatch: mayAskAgain }),
  );
  return {
    ...lastOf(answers).answer,
    metadata: metadataOf(answers),
    failure: failureOf(check, answers),
    checked: checkedFields(answers, model),
  };
}

/**
 * Sends one item until it is answered, or has failed for good. Without a permission, the client retries after a 429.
 * @throws Failure for an item that cannot be sent, at once
 */
export function sendItem(
  options: SendOptions,
  content: ItemContent,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  const request = itemRequest(content, options.settings, options.stream);
  const { check, stop } = options;
  const send = (messages: readonly Message[]) =>
    sendRequest(options, { ...request, messages }, permission);
  if (check === undefined) return sendRequest(options, request, permission);
  return sendChecked(check, request, send, () => !stop.aborted);
}
