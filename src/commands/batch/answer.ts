import type { Slot } from '../../batch/concurrency.ts';
import type { ItemContent } from '../../batch/input/item.ts';
import type { Client } from '../../client/client.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { Clock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import { createAnswerMeter } from '../../output/answer-meter.ts';
import type { AnswerRecord } from '../../output/answer-record.ts';
import { stoppedAnswer, toFailure } from '../../output/failure-report.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { withHint } from '../program/remedy-words.ts';
import { planItem } from './request.ts';

/** How items are sent. */
export interface SendOptions {
  readonly client: Client;
  readonly settings: ResolvedSettings;
  readonly stream: boolean;
  /** Retries after a cut answer. The client never retries one, because it is billed twice. */
  readonly retryIncomplete: number;
  /** Longest Retry-After to wait for, in milliseconds. */
  readonly longestWait: number;
  /** Sends nothing new and cancels pending retries; running requests finish. */
  readonly stop: AbortSignal;
  /** Cancels running requests. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The result of one item. */
export interface ItemOutcome {
  readonly askedModel: string;
  /** All text received, also before a failure. */
  readonly content: string;
  readonly record: AnswerRecord;
  /** Undefined for a complete answer. */
  readonly failure: Failure | undefined;
  /** natter cancelled it. */
  readonly wasStopped: boolean;
}

/**
 * Collects the events of one answer. A Retry-After longer than `longestWait` does not pause the other items.
 */
function createTranscript(slot: Slot, { longestWait, clock }: SendOptions) {
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
      slot.rateLimited(wait !== undefined && wait > longestWait ? undefined : wait);
    },
    outcome: (request: CompletionRequest, failure?: Failure, wasStopped = false): ItemOutcome => ({
      askedModel: request.model,
      content: texts.join(''),
      record: meter.record(failure),
      failure,
      wasStopped,
    }),
  };
}

/** Cancels a request on `signal`, and on `stop` while it waits for a retry. */
function createEnding({ signal, stop, clock }: SendOptions) {
  const ending = new AbortController();
  let waitsUntil = 0;
  const breakOff = () => ending.abort(signal.reason);
  const giveUpWaiting = () => {
    if (stop.aborted && clock.monotonic() < waitsUntil) ending.abort(stop.reason);
  };
  signal.addEventListener('abort', breakOff);
  stop.addEventListener('abort', giveUpWaiting);
  if (signal.aborted) breakOff();
  return {
    signal: ending.signal,
    /** A retry starts after `delay` milliseconds. */
    waits(delay: number): void {
      waitsUntil = clock.monotonic() + delay;
      giveUpWaiting();
    },
    release(): void {
      signal.removeEventListener('abort', breakOff);
      stop.removeEventListener('abort', giveUpWaiting);
    },
  };
}

async function sendOnce(
  asking: SendOptions,
  request: CompletionRequest,
  slot: Slot,
): Promise<ItemOutcome> {
  const transcript = createTranscript(slot, asking);
  const ending = createEnding(asking);
  const { signal } = ending;
  try {
    for await (const event of asking.client.chat(request, { signal })) {
      transcript.event(event);
      if (event.type === 'retry-scheduled') ending.waits(event.delay);
    }
    return transcript.outcome(request);
  } catch (error) {
    if (signal.aborted) return transcript.outcome(request, stoppedAnswer(), true);
    const failure = withHint(toFailure(error));
    transcript.failed(failure);
    return transcript.outcome(request, failure);
  } finally {
    ending.release();
  }
}

/** Keeps the longest text when a retry fails earlier than a previous attempt. */
function longer(before: ItemOutcome | undefined, outcome: ItemOutcome): ItemOutcome {
  const { failure, content } = outcome;
  if (before === undefined || failure === undefined) return outcome;
  const { wasStopped } = outcome;
  return before.content.length > content.length ? { ...before, failure, wasStopped } : outcome;
}

function withAttempts(outcome: ItemOutcome, attempts: number): ItemOutcome {
  return { ...outcome, record: { ...outcome.record, attempts } };
}

/** Sends one item. @throws Failure for an item that cannot be sent */
export async function sendItem(
  asking: SendOptions,
  content: ItemContent,
  slot: Slot,
): Promise<ItemOutcome> {
  const { settings, stream, retryIncomplete } = asking;
  const { request } = planItem(content, settings, stream);
  let attempts = 0;
  let kept: ItemOutcome | undefined;
  for (let cuts = 0; ; cuts += 1) {
    const outcome = await sendOnce(asking, request, slot);
    kept = longer(kept, outcome);
    attempts += outcome.record.attempts ?? 1;
    const isCut = outcome.failure?.kind === 'incomplete' && !outcome.wasStopped;
    if (!isCut || cuts >= retryIncomplete) return withAttempts(kept, attempts);
  }
}
