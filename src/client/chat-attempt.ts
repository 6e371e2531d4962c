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
import type { StreamEnd } from './stream/answer.ts';

function answerStarted(attempt: number, requestId: string | undefined): AnswerStarted {
  return { type: 'answer-started', attempt, ...(requestId !== undefined && { requestId }) };
}

function answerFinished(end: StreamEnd, attempts: number, timing: Timing): AnswerFinished {
  const { type: _type, complete: _complete, calledTools: _called, ...details } = end;
  return { type: 'answer-finished', ...details, attempts, timing };
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

/**
 * Sends the prompt once and yields the events of the answer.
 * @throws RequestFailure where a retry is safe, Failure `incomplete` after content was received, Failure `no_answer`
 * after the end of a filtered answer, a tool call or a refusal; or the signal's reason when the caller aborts.
 */
export async function* attemptChat(attempt: ChatAttempt): AsyncGenerator<ChatEvent, void> {
  const { service, request, signal, number } = attempt;
  const response = await acceptedResponse(request, service, signal);
  const requestId = requestIdOf(response.headers, service.mask);
  let reading = false;
  try {
    yield answerStarted(number, requestId);
    reading = true;
    yield* readEvents(response, attempt, requestId);
  } finally {
    if (!reading) response.destroy(new Error('the caller stopped reading the answer'));
  }
}

async function* readEvents(
  response: HttpResponse,
  { service, number, start }: ChatAttempt,
  requestId: string | undefined,
): AsyncGenerator<ChatEvent, void> {
  const { idleTimeout, limits, mask } = service;
  const elapsed = (): number => limits.clock.monotonic() - start;
  const onIdle = () => response.destroy(idleTimedOut(idleTimeout));
  const watch = watchIdle(limits.clock, idleTimeout, onIdle);
  const onContent = () => watch.touch();
  const parts = readAnswer(response.body, response.headers['content-type'], { mask, onContent });
  let firstText: number | undefined;
  let received = false;
  let refused = false;
  try {
    for await (const part of parts) {
      // The time that the caller spends on these events is not silence of the service.
      watch.pause();
      if (part.type === 'end') {
        if (!part.complete) throw unfinishedStream();
        const timing = { ...(firstText !== undefined && { firstText }), total: elapsed() };
        yield answerFinished(part, number, timing);
        const failure = noAnswer(part, { text: firstText !== undefined, refusal: refused });
        if (failure !== undefined) throw failure;
      } else {
        if (part.type !== 'answer-named') received = true;
        if (part.type === 'refusal-received') refused = true;
        if (part.type === 'text-received') firstText ??= elapsed();
        yield part;
      }
      watch.touch();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === 'no_answer')
      throw rephrase(error, requestId === undefined ? {} : { requestId });
    throw received ? incompleteAnswer(error, requestId) : emptyAnswerFailure(error, requestId);
  } finally {
    watch.stop();
  }
}
