import { Failure } from '../failure.ts';
import type { Throttle } from './client.ts';
import type { AnswerFinished, AnswerStarted, ChatEvent, Timing } from './events.ts';
import {
  emptyAnswer,
  emptyAnswerFailure,
  idleTimedOut,
  incompleteAnswer,
  noAnswer,
  unfinishedStream,
} from './failure/answer-failure.ts';
import { rephrase } from './failure/request-failure.ts';
import { requireAccepted } from './http/accepted-response.ts';
import { requestIdOf } from './http/response-headers.ts';
import { watchIdle } from './http/timer.ts';
import type { HttpRequest } from './http/transport.ts';
import type { Connection } from './configuration.ts';
import { readAnswer } from './stream/answer-reader.ts';
import type { StreamEnd } from './stream/answer.ts';
import type { Writable } from '../writable.ts';

function answerStarted(attempt: number, requestId: string | undefined): AnswerStarted {
  const type = 'answer-started';
  return requestId === undefined ? { type, attempt } : { type, attempt, requestId };
}

function answerFinished(end: StreamEnd, attempts: number, timing: Timing): AnswerFinished {
  const { id, model, finishReason, usage } = end;
  const event: Writable<AnswerFinished> = { type: 'answer-finished', attempts, timing };
  if (id !== undefined) event.id = id;
  if (model !== undefined) event.model = model;
  if (finishReason !== undefined) event.finishReason = finishReason;
  if (usage !== undefined) event.usage = usage;
  return event;
}

/** What the attempts of one prompt have in common. */
export interface Prompt {
  readonly service: Connection;
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly throttle: Throttle | undefined;
  /** Monotonic time at which the first attempt began. */
  readonly start: number;
}

/** What was received of an answer. */
interface Received {
  /** Milliseconds from the first request of the prompt to the first text. */
  firstText?: number;
  hasContent: boolean;
  hasRefusal: boolean;
}

function failureOf(error: unknown, { hasContent }: Received, requestId: string | undefined) {
  if (!(error instanceof Failure)) return error;
  if (error.kind === 'no_answer') {
    return rephrase(error, requestId === undefined ? {} : { requestId });
  }
  return hasContent ? incompleteAnswer(error, requestId) : emptyAnswerFailure(error, requestId);
}

/**
 * Sends the request once, as attempt number `attempt` (from 1), and yields the events of its answer.
 * @throws RequestFailure where a retry is safe, Failure `incomplete` after content was received or for an answer
 * without any, Failure `no_answer` after the end of a filtered answer, a tool call or a refusal; or the signal's reason
 * when the caller aborts.
 */
export async function* attemptPrompt(
  { service, request, signal, throttle, start }: Prompt,
  attempt: number,
): AsyncGenerator<ChatEvent, void> {
  const { limits, idleTimeout, mask } = service;
  const elapsed = () => limits.clock.monotonic() - start;
  const response = await service.send(request, signal);
  throttle?.onResponse(response);
  await requireAccepted(request, response, service, signal);
  const requestId = requestIdOf(response.headers, mask);
  const onIdle = () => response.destroy(idleTimedOut(idleTimeout));
  const watch = watchIdle(limits.clock, idleTimeout, onIdle);
  const options = { mask, onContent: () => watch.touch() };
  const received: Received = { hasContent: false, hasRefusal: false };
  let isRead = false;
  try {
    // The time that the caller spends on an event is not silence of the service.
    watch.pause();
    yield answerStarted(attempt, requestId);
    watch.touch();
    isRead = true;
    for await (const part of readAnswer(response.body, response.headers['content-type'], options)) {
      // What was read before an abort is not delivered after it.
      signal.throwIfAborted();
      watch.pause();
      if (part.type === 'end') {
        yield* endOf(part, received, attempt, elapsed());
        return;
      }
      if (part.type !== 'answer-named') received.hasContent = true;
      if (part.type === 'refusal-received') received.hasRefusal = true;
      if (part.type === 'text-received') received.firstText ??= elapsed();
      yield part;
      watch.touch();
    }
  } catch (error) {
    throw failureOf(error, received, requestId);
  } finally {
    watch.stop();
    if (!isRead) response.destroy(new Error('the caller stopped reading the answer'));
  }
}

function* endOf(
  end: StreamEnd,
  { firstText, hasContent, hasRefusal }: Received,
  attempt: number,
  total: number,
): Generator<ChatEvent, void> {
  if (!end.complete) throw unfinishedStream();
  if (!hasContent && !end.calledTools && end.finishReason === undefined) throw emptyAnswer();
  const timing = firstText === undefined ? { total } : { firstText, total };
  yield answerFinished(end, attempt, timing);
  const failure = noAnswer(end, { text: firstText !== undefined, refusal: hasRefusal });
  if (failure !== undefined) throw failure;
}
