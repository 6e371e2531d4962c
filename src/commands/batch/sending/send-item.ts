import { promptFingerprint } from '../../../batch/fingerprint.ts';
import type { BatchItem, ItemContent } from '../../../batch/input/item.ts';
import { textMessages } from '../../../conversation/message-text.ts';
import type { CompletionRequest, Message } from '../../../client/contract.ts';
import { rephrase } from '../../../client/failure/request-failure.ts';
import { stoppedAnswer, toFailure } from '../../../output/ending-failure.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { withRequestHint } from '../../program/report.ts';
import type { AnswerCheck } from '../../check/open-check.ts';
import { buildRequest, planRequest, type PlannedRequest } from '../../prompt/chat-request.ts';
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

function failedOutcome(
  attempt: ItemAttempt,
  request: CompletionRequest,
  error: unknown,
  settings: ResolvedSettings,
): ItemOutcome {
  if (attempt.isCancelled) return attempt.outcome(request, stoppedAnswer(), true);
  return attempt.outcome(request, withRequestHint(toFailure(error), settings));
}

/** The outcome of an item whose last attempt was refused, and which is not sent again. */
function refusedOutcome(outcome: ItemOutcome, attempts: number, isStarved: boolean): ItemOutcome {
  const { failure } = outcome;
  if (!isStarved || failure === undefined) {
    return { ...outcome, failure: stoppedAnswer(), wasStopped: true };
  }
  const message =
    attempts === 1 ? failure.message : `${failure.message} (after ${attempts} attempts)`;
  return { ...outcome, failure: rephrase(failure, { message, attempts }), isStarved };
}

/** Keeps the longest text when a retry fails earlier than the attempt before. */
function longer(before: ItemOutcome | undefined, outcome: ItemOutcome): ItemOutcome {
  const { failure, content } = outcome;
  if (before === undefined || failure === undefined) return outcome;
  const { wasStopped, isStarved } = outcome;
  return before.content.length > content.length
    ? { ...before, failure, wasStopped, isStarved }
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
    let outcome: ItemOutcome;
    // Inline, because another async function would cost as much as reading a chunk.
    try {
      await attempt.send(request);
      outcome = attempt.outcome(request);
    } catch (error) {
      outcome = failedOutcome(attempt, request, error, options.settings);
    } finally {
      attempt.release();
    }
    attempts += outcome.metadata.attempts ?? 1;
    longest = longer(longest, outcome);
    if (attempt.isRefused && !outcome.wasStopped && permission !== undefined) {
      const next = await permission.afterRefusal();
      if (next === 'again') continue;
      longest = longer(longest, refusedOutcome(outcome, attempts, next === 'starved'));
    } else {
      const isCut = outcome.failure?.kind === 'incomplete' && !outcome.wasStopped;
      cuts += 1;
      if (isCut && cuts <= options.retryIncomplete) continue;
    }
    if (longest.metadata.attempts === attempts) return longest;
    return { ...longest, metadata: { ...longest.metadata, attempts } };
  }
}

async function sendUntilConforming(
  options: SendOptions,
  check: AnswerCheck,
  request: CompletionRequest,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  const { sendChecked } = await import('./checked-item.ts');
  const send = (next: CompletionRequest) => sendRequest(options, next, permission);
  return sendChecked(check, request, send, () => !options.stop.aborted);
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
  const { check } = options;
  return check === undefined
    ? sendRequest(options, request, permission)
    : sendUntilConforming(options, check, request, permission);
}
