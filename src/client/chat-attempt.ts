import { Failure } from '../failure.ts';
import type { AnswerFinished, AnswerStarted, ChatEvent, Timing } from './events.ts';
import {
  emptyAnswerFailure,
  idleTimedOut,
  incompleteAnswer,
  noAnswer,
  unfinishedStream,
} from './failure/answer-failure.ts';
import { rephrase } from './failure/request-failure.ts';
import { acceptedResponse } from './http/accepted-response.ts';
import { requestIdOf } from './http/response-headers.ts';
import { watchIdle } from './http/timer.ts';
import type { HttpRequest, HttpResponse } from './http/transport.ts';
import type { ConnectedService } from './service.ts';
import { readAnswer } from './stream/answer-reader.ts';
import type { AnswerPart, StreamEnd } from './stream/answer.ts';
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

export interface ChatAttempt {
  readonly service: ConnectedService;
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  /** From 1. */
  readonly number: number;
  /** Monotonic time at which the first attempt began. */
  readonly start: number;
}

/** Receives an event; a promise delays the next read. */
export type TakeEvent = (event: ChatEvent) => Promise<void> | void;

/**
 * Sends the prompt once and delivers the events of the answer.
 * @throws RequestFailure where a retry is safe, Failure `incomplete` after content was received, Failure `no_answer`
 * after the end of a filtered answer, a tool call or a refusal; the signal's reason when the caller aborts; or an error
 * of `take`.
 */
export async function attemptChat(attempt: ChatAttempt, take: TakeEvent): Promise<void> {
  const { service, request, signal, number } = attempt;
  const response = await acceptedResponse(request, service, signal);
  const requestId = requestIdOf(response.headers, service.mask);
  let reading = false;
  try {
    const taken = take(answerStarted(number, requestId));
    if (taken !== undefined) await taken;
    reading = true;
    await readEvents(response, attempt, requestId, take);
  } finally {
    if (!reading) response.destroy(new Error('the caller stopped reading the answer'));
  }
}

/** What has been received of an answer. */
interface Received {
  /** Milliseconds since the first request. */
  firstText: number | undefined;
  content: boolean;
  refusal: boolean;
}

async function readEvents(
  response: HttpResponse,
  attempt: ChatAttempt,
  requestId: string | undefined,
  take: TakeEvent,
): Promise<void> {
  const { idleTimeout, limits, mask } = attempt.service;
  const onIdle = () => response.destroy(idleTimedOut(idleTimeout));
  const watch = watchIdle(limits.clock, idleTimeout, onIdle);
  const onContent = () => watch.touch();
  const received: Received = { firstText: undefined, content: false, refusal: false };
  const contentType = response.headers['content-type'];
  try {
    await readAnswer(response.body, contentType, { mask, onContent }, (part) => {
      const taken = takePart(part, received, attempt, take);
      if (taken === undefined) return undefined;
      // The time that the caller spends on an event is not silence of the service.
      watch.pause();
      return taken.finally(onContent);
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === 'no_answer')
      throw rephrase(error, requestId === undefined ? {} : { requestId });
    throw received.content
      ? incompleteAnswer(error, requestId)
      : emptyAnswerFailure(error, requestId);
  } finally {
    watch.stop();
  }
}

function takePart(
  part: AnswerPart,
  received: Received,
  { service, number, start }: ChatAttempt,
  take: TakeEvent,
): Promise<void> | void {
  const elapsed = (): number => service.limits.clock.monotonic() - start;
  if (part.type === 'end') {
    if (!part.complete) throw unfinishedStream();
    return takeEnd(part, received, { attempts: number, total: elapsed() }, take);
  }
  if (part.type !== 'answer-named') received.content = true;
  if (part.type === 'refusal-received') received.refusal = true;
  if (part.type === 'text-received') received.firstText ??= elapsed();
  return take(part);
}

function takeEnd(
  end: StreamEnd,
  { firstText, refusal }: Received,
  { attempts, total }: { readonly attempts: number; readonly total: number },
  take: TakeEvent,
): Promise<void> | void {
  const timing = firstText === undefined ? { total } : { firstText, total };
  const taken = take(answerFinished(end, attempts, timing));
  const failure = noAnswer(end, { text: firstText !== undefined, refusal });
  if (failure === undefined) return taken;
  return Promise.resolve(taken).then(() => {
    throw failure;
  });
}
