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

/** Receives an event; a promise delays the next read. */
export type TakeEvent = (event: ChatEvent) => Promise<void> | void;

/** What the attempts of one prompt have in common. */
export interface Prompt {
  readonly service: ConnectedService;
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly throttle: Throttle | undefined;
  /** Monotonic time at which the first attempt began. */
  readonly start: number;
  readonly take: TakeEvent;
}

/** The answer to one request of a prompt. */
class AnswerDelivery {
  readonly #prompt: Prompt;
  readonly #attempt: number;
  readonly #requestId: string | undefined;
  /** Milliseconds since the first request. */
  #firstText: number | undefined;
  #hasContent = false;
  #hasRefusal = false;
  /** Undefined while an answer is read that has arrived whole. */
  #watch: IdleWatch | undefined;

  constructor(prompt: Prompt, attempt: number, requestId: string | undefined) {
    this.#prompt = prompt;
    this.#attempt = attempt;
    this.#requestId = requestId;
  }

  /** @returns undefined if there was nothing to wait for */
  begin(response: HttpResponse): Promise<void> | undefined {
    let taken: Promise<void> | void;
    try {
      taken = this.#prompt.take(answerStarted(this.#attempt, this.#requestId));
    } catch (error) {
      throw stopReading(response, error);
    }
    return taken === undefined ? this.#readStream(response) : this.#readAfter(taken, response);
  }

  async #readAfter(taken: Promise<void>, response: HttpResponse): Promise<void> {
    try {
      await taken;
    } catch (error) {
      throw stopReading(response, error);
    }
    await this.#readStream(response);
  }

  async #readStream(response: HttpResponse): Promise<void> {
    const { limits, idleTimeout } = this.#prompt.service;
    const onIdle = () => response.destroy(idleTimedOut(idleTimeout));
    const watch = watchIdle(limits.clock, idleTimeout, onIdle);
    this.#watch = watch;
    try {
      await this.#readBody(response.body, response, () => watch.touch());
    } catch (error) {
      throw this.#failureOf(error);
    } finally {
      watch.stop();
    }
  }

  #readBody(
    body: HttpResponse['body'] | Uint8Array,
    { headers }: HttpResponse,
    onContent?: () => void,
  ): Promise<void> | undefined {
    const { mask, forms } = this.#prompt.service;
    const options = { mask, forms, onContent };
    return readAnswer(body, headers['content-type'], options, (part) => this.#takePart(part));
  }

  #takePart(part: AnswerPart): Promise<void> | undefined {
    const taken = this.#pass(part);
    if (taken === undefined) return undefined;
    const watch = this.#watch;
    // The time that the caller spends on an event is not silence of the service.
    watch?.pause();
    return watch === undefined ? taken : taken.finally(() => watch.touch());
  }

  #pass(part: AnswerPart): Promise<void> | void {
    if (part.type === 'end') return this.#takeEnd(part);
    if (part.type !== 'answer-named') this.#hasContent = true;
    if (part.type === 'refusal-received') this.#hasRefusal = true;
    if (part.type === 'text-received') this.#firstText ??= this.#elapsed();
    return this.#prompt.take(part);
  }

  #takeEnd(end: StreamEnd): Promise<void> | void {
    if (!end.complete) throw unfinishedStream();
    const firstText = this.#firstText;
    const total = this.#elapsed();
    const timing = firstText === undefined ? { total } : { firstText, total };
    const taken = this.#prompt.take(answerFinished(end, this.#attempt, timing));
    const failure = noAnswer(end, { text: firstText !== undefined, refusal: this.#hasRefusal });
    if (failure === undefined) return taken;
    return Promise.resolve(taken).then(() => {
      throw failure;
    });
  }

  #elapsed(): number {
    const { service, start } = this.#prompt;
    return service.limits.clock.monotonic() - start;
  }

  #failureOf(error: unknown): unknown {
    if (!(error instanceof Failure)) return error;
    const requestId = this.#requestId;
    if (error.kind === 'no_answer') {
      return rephrase(error, requestId === undefined ? {} : { requestId });
    }
    return this.#hasContent
      ? incompleteAnswer(error, requestId)
      : emptyAnswerFailure(error, requestId);
  }
}

function stopReading(response: HttpResponse, error: unknown): unknown {
  response.destroy(new Error('the caller stopped reading the answer'));
  return error;
}

async function refuse({ service, request, signal }: Prompt, response: HttpResponse): Promise<void> {
  throw await refusedResponse(request, response, service, signal);
}

/**
 * Delivers the events of the response to attempt number `attempt` (from 1).
 * @returns undefined if there was nothing to wait for, because each `await` costs time
 * @throws RequestFailure where a retry is safe, Failure `incomplete` after content was received, Failure `no_answer`
 * after the end of a filtered answer, a tool call or a refusal; the signal's reason when the caller aborts; or an error
 * of `take`.
 */
export function takeResponse(
  prompt: Prompt,
  attempt: number,
  response: HttpResponse,
): Promise<void> | undefined {
  const { service, throttle } = prompt;
  throttle?.onResponse(response);
  if (!isAccepted(response)) return refuse(prompt, response);
  const requestId = requestIdOf(response.headers, service.mask);
  return new AnswerDelivery(prompt, attempt, requestId).begin(response);
}
