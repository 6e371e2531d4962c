import { promptFingerprint } from '../../../batch/fingerprint.ts';
import type { BatchItem, ItemContent } from '../../../batch/input/item.ts';
import { textMessages } from '../../../batch/input/message-text.ts';
import type { ChatOptions, Client, Throttle } from '../../../client/client.ts';
import type { CompletionRequest, Message } from '../../../client/contract.ts';
import type { ChatEvent } from '../../../client/events.ts';
import { rephrase } from '../../../client/failure/request-failure.ts';
import type { Failure } from '../../../failure.ts';
import { createAnswerMeter, type AnswerOutcome } from '../../../output/answer-meter.ts';
import { stoppedAnswer, toFailure } from '../../../output/ending-failure.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { withHint } from '../../program/report.ts';
import { planRequest, type PlannedRequest } from '../../prompt/chat-request.ts';
import type { Permission } from './admission.ts';
import { type CancellationOptions, releaseCancellation, takeCancellation } from './cancellation.ts';

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

/** The request of an item. @throws Failure `invalid_request` if it cannot fit the model's context window */
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
  const request = { ...planned.request, messages };
  if (content.params === undefined) return { ...planned, request };
  const params = { ...request.params, ...content.params };
  return { ...planned, request: { ...request, params } };
}

export interface SendOptions extends CancellationOptions {
  readonly client: Client;
  /** The client that refuses or redacts secrets in prompts; undefined if they are not checked. */
  readonly guard?: ((client: Client) => Client) | undefined;
  readonly settings: ResolvedSettings;
  readonly stream: boolean;
  /** Retries after a cut answer. The client never retries one, because it is billed twice. */
  readonly retryIncomplete: number;
}

export interface ItemOutcome extends AnswerOutcome {
  readonly requestedModel: string;
  /** All received text, also before a failure. */
  readonly content: string;
  /** natter cancelled it. */
  readonly wasStopped: boolean;
  /** The service refused it, and has answered no other item for too long. */
  readonly isStarved: boolean;
}

/** Collects the events of one answer. */
function createCollector({ clock }: SendOptions) {
  const texts: string[] = [];
  const meter = createAnswerMeter(clock);
  return {
    event(event: ChatEvent): void {
      meter.event(event);
      if (event.type === 'text-received') texts.push(event.text);
    },
    outcome: (request: CompletionRequest, failure?: Failure, wasStopped = false): ItemOutcome => ({
      requestedModel: request.model,
      content: texts.join(''),
      metadata: meter.metadata(failure),
      failure,
      wasStopped,
      isStarved: false,
    }),
  };
}

async function takeEvents(
  client: Client,
  request: CompletionRequest,
  options: ChatOptions,
  take: (event: ChatEvent) => void,
): Promise<void> {
  if (client.send !== undefined) return client.send(request, take, options);
  for await (const event of client.chat(request, options)) take(event);
}

interface Attempt {
  readonly outcome: ItemOutcome;
  /** With a 429 that may be sent again. */
  readonly isRefused: boolean;
}

async function sendOnce(
  options: SendOptions,
  request: CompletionRequest,
  permission: Permission | undefined,
): Promise<Attempt> {
  const collector = createCollector(options);
  const cancellation = takeCancellation(options);
  const { signal } = cancellation;
  let isRefused = false;
  const throttle: Throttle | undefined = permission && {
    beforeRequest: () =>
      permission.beforeRequest()?.then((isAllowed) => {
        if (!isAllowed) cancellation.cancel();
      }),
    onResponse: (response) => permission.onResponse(response),
    onRefusal(retryAfter) {
      isRefused = true;
      permission.onRefusal(retryAfter);
    },
  };
  try {
    await takeEvents(
      options.guard?.(options.client) ?? options.client,
      request,
      { signal, ...(throttle && { throttle }) },
      (event) => {
        collector.event(event);
        if (event.type === 'retry-scheduled') cancellation.retryScheduled(event.delay);
      },
    );
    return { outcome: collector.outcome(request), isRefused };
  } catch (error) {
    if (signal.aborted) {
      return { outcome: collector.outcome(request, stoppedAnswer(), true), isRefused: false };
    }
    return { outcome: collector.outcome(request, withHint(toFailure(error))), isRefused };
  } finally {
    releaseCancellation(options, cancellation);
  }
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

async function sendUntilEnd(
  options: SendOptions,
  request: CompletionRequest,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  let attempts = 0;
  let cuts = 0;
  let longest: ItemOutcome | undefined;
  for (;;) {
    const { outcome, isRefused } = await sendOnce(options, request, permission);
    attempts += outcome.metadata.attempts ?? 1;
    longest = longer(longest, outcome);
    if (isRefused && permission !== undefined) {
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

/** Sends one item; without a permission, the client retries after a 429. @throws Failure for an item that cannot be sent */
export async function sendItem(
  options: SendOptions,
  content: ItemContent,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  const { request } = planItem(content, options.settings, options.stream);
  return sendUntilEnd(options, request, permission);
}
