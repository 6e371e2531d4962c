import { Failure } from '../failure.ts';
import type { Throttle } from './client.ts';
import type { AnswerFinished, AnswerStarted, ChatEvent, Timing } from './events.ts';
import {
  emptyAnswerFailure,
  idleTimedOut,
  incompleteAnswer,
  noAnswer,
  unfinishedStream,
} from './failure/answer-failure.ts';
import { rephrase } from './failure/request-failure.ts';
import { isAccepted, refusedResponse } from './http/accepted-response.ts';
import { requestIdOf } from './http/response-headers.ts';
import { type IdleWatch, watchIdle } from './http/timer.ts';
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
  readonly throttle: Throttle | undefined;
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
  const { service, request, signal, throttle, number } = attempt;
  const permission = throttle?.beforeRequest();
  if (permission !== undefined) await permission;
  const response = await service.send(request, signal);
  throttle?.onResponse(response);
  if (!isAccepted(response)) throw await refusedResponse(request, response, service, signal);
  const requestId = requestIdOf(response.headers, service.mask);
  try {
    const taken = take(answerStarted(number, requestId));
    if (taken !== undefined) await taken;
  } catch (error) {
    response.destroy(new Error('the caller stopped reading the answer'));
    throw error;
  }
  const received: Received = { firstText: undefined, content: false, refusal: false };
  const whole = response.body.takeWhole?.();
  const watch = whole === undefined ? watchAnswer(response, service) : noWatch;
  try {
    const reading = readEvents(whole ?? response.body, response, attempt, received, watch, take);
    if (reading !== undefined) await reading;
  } catch (error) {
    throw error instanceof Failure ? answerFailure(error, received, requestId) : error;
  } finally {
    watch.stop();
  }
}

/** What has been received of an answer. */
interface Received {
  /** Milliseconds since the first request. */
  firstText: number | undefined;
  content: boolean;
  refusal: boolean;
}

function watchAnswer(response: HttpResponse, { idleTimeout, limits }: ConnectedService): IdleWatch {
  const onIdle = () => response.destroy(idleTimedOut(idleTimeout));
  return watchIdle(limits.clock, idleTimeout, onIdle);
}

/** Of an answer that has arrived whole. */
const noWatch: IdleWatch = { touch() {}, pause() {}, stop() {} };

function readEvents(
  body: HttpResponse['body'] | Uint8Array,
  { headers }: HttpResponse,
  attempt: ChatAttempt,
  received: Received,
  watch: IdleWatch,
  take: TakeEvent,
): Promise<void> | undefined {
  const onContent = () => watch.touch();
  const { mask, forms } = attempt.service;
  const options = { mask, forms, onContent };
  return readAnswer(body, headers['content-type'], options, (part) => {
    const taken = takePart(part, received, attempt, take);
    if (taken === undefined) return undefined;
    // The time that the caller spends on an event is not silence of the service.
    watch.pause();
    return taken.finally(onContent);
  });
}

function answerFailure(
  error: Failure,
  { content }: Received,
  requestId: string | undefined,
): Failure {
  if (error.kind === 'no_answer') {
    return rephrase(error, requestId === undefined ? {} : { requestId });
  }
  return content ? incompleteAnswer(error, requestId) : emptyAnswerFailure(error, requestId);
}

function takePart(
  part: AnswerPart,
  received: Received,
  { service, number, start }: ChatAttempt,
  take: TakeEvent,
): Promise<void> | void {
  const { clock } = service.limits;
  if (part.type === 'end') {
    if (!part.complete) throw unfinishedStream();
    const total = clock.monotonic() - start;
    return takeEnd(part, received, { attempts: number, total }, take);
  }
  if (part.type !== 'answer-named') received.content = true;
  if (part.type === 'refusal-received') received.refusal = true;
  if (part.type === 'text-received') received.firstText ??= clock.monotonic() - start;
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
