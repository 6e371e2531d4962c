import type { Slot } from '../../batch/concurrency.ts';
import { promptFingerprint } from '../../batch/fingerprint.ts';
import type { BatchItem, ItemContent } from '../../batch/input/item.ts';
import { textMessages } from '../../batch/input/message-text.ts';
import type { Client } from '../../client/client.ts';
import type { CompletionRequest, Message } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { Clock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import { createAnswerMeter, type AnswerOutcome } from '../../output/answer-meter.ts';
import { stoppedAnswer, toFailure } from '../../output/ending-failure.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { withHint } from '../program/report.ts';
import { planRequest, type PlannedRequest } from '../prompt/chat-request.ts';

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

/** The request of an item. @throws Failure `invalid_request` if it cannot fit the model's context window */
export function planItem(
  content: ItemContent,
  settings: ResolvedSettings,
  stream: boolean,
): PlannedRequest {
  const values = {
    ...settings.values,
    ...(content.model === undefined ? {} : { model: content.model }),
    ...(content.maxTokens === undefined ? {} : { maxTokens: content.maxTokens }),
  };
  const messages = itemMessages(content, settings);
  const planned = planRequest(
    { ...settings, values },
    textMessages(messages),
    content.stream ?? stream,
  );
  const request = { ...planned.request, messages };
  if (content.params === undefined) return { ...planned, request };
  const params = { ...request.params, ...content.params };
  return { ...planned, request: { ...request, params } };
}

export interface SendOptions {
  readonly client: Client;
  readonly settings: ResolvedSettings;
  readonly stream: boolean;
  /** Retries after a cut answer. The client never retries one, because it is billed twice. */
  readonly retryIncomplete: number;
  /** Maximum milliseconds of a Retry-After that all items wait for. */
  readonly maxWait: number;
  /** Cancels pending retries; running requests finish. */
  readonly stop: AbortSignal;
  /** Cancels running requests. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface ItemOutcome extends AnswerOutcome {
  readonly requestedModel: string;
  /** All received text, also before a failure. */
  readonly content: string;
  /** natter cancelled it. */
  readonly wasStopped: boolean;
}

/** Collects the events of one answer and reports 429s to the slot. */
function createCollector(slot: Slot, { maxWait, clock }: SendOptions) {
  const texts: string[] = [];
  const meter = createAnswerMeter(clock);
  return {
    event(event: ChatEvent): void {
      meter.event(event);
      if (event.type === 'text-received') texts.push(event.text);
      if (event.type === 'retry-scheduled' && event.cause.kind === 'rate_limited') {
        slot.rateLimited(event.cause.retryAfterSeconds === undefined ? undefined : event.delay);
      }
    },
    failed({ kind, retryAfterSeconds }: Failure): void {
      if (kind !== 'rate_limited') return;
      const wait = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
      slot.rateLimited(wait !== undefined && wait > maxWait ? undefined : wait);
    },
    outcome: (request: CompletionRequest, failure?: Failure, wasStopped = false): ItemOutcome => ({
      requestedModel: request.model,
      content: texts.join(''),
      metadata: meter.metadata(failure),
      failure,
      wasStopped,
    }),
  };
}

/** Cancels a request on `signal`, and on `stop` while it waits for a retry. */
function createCancellation({ signal, stop, clock }: SendOptions) {
  const controller = new AbortController();
  let retryAt = 0;
  const cancel = () => controller.abort(signal.reason);
  const cancelRetry = () => {
    if (stop.aborted && clock.monotonic() < retryAt) controller.abort(stop.reason);
  };
  signal.addEventListener('abort', cancel);
  stop.addEventListener('abort', cancelRetry);
  if (signal.aborted) cancel();
  return {
    signal: controller.signal,
    /** @param delay milliseconds until the retry */
    retryScheduled(delay: number): void {
      retryAt = clock.monotonic() + delay;
      cancelRetry();
    },
    release(): void {
      signal.removeEventListener('abort', cancel);
      stop.removeEventListener('abort', cancelRetry);
    },
  };
}

async function sendOnce(
  options: SendOptions,
  request: CompletionRequest,
  slot: Slot,
): Promise<ItemOutcome> {
  const collector = createCollector(slot, options);
  const cancellation = createCancellation(options);
  const { signal } = cancellation;
  try {
    for await (const event of options.client.chat(request, { signal })) {
      collector.event(event);
      if (event.type === 'retry-scheduled') cancellation.retryScheduled(event.delay);
    }
    return collector.outcome(request);
  } catch (error) {
    if (signal.aborted) return collector.outcome(request, stoppedAnswer(), true);
    const failure = withHint(toFailure(error));
    collector.failed(failure);
    return collector.outcome(request, failure);
  } finally {
    cancellation.release();
  }
}

/** Keeps the longest text when a retry fails earlier than the attempt before. */
function longer(before: ItemOutcome | undefined, outcome: ItemOutcome): ItemOutcome {
  const { failure, content } = outcome;
  if (before === undefined || failure === undefined) return outcome;
  const { wasStopped } = outcome;
  return before.content.length > content.length ? { ...before, failure, wasStopped } : outcome;
}

/** Sends one item. @throws Failure for an item that cannot be sent */
export async function sendItem(
  options: SendOptions,
  content: ItemContent,
  slot: Slot,
): Promise<ItemOutcome> {
  const { settings, stream, retryIncomplete } = options;
  const { request } = planItem(content, settings, stream);
  let attempts = 0;
  let longest: ItemOutcome | undefined;
  for (let cuts = 0; ; cuts += 1) {
    const outcome = await sendOnce(options, request, slot);
    longest = longer(longest, outcome);
    attempts += outcome.metadata.attempts ?? 1;
    const isCut = outcome.failure?.kind === 'incomplete' && !outcome.wasStopped;
    if (isCut && cuts < retryIncomplete) continue;
    return { ...longest, metadata: { ...longest.metadata, attempts } };
  }
}
