import type { Client, Middleware, Throttle } from '../../../client/client.ts';
import type { CompletionRequest } from '../../../client/contract.ts';
import type { HttpResponse } from '../../../client/http/transport.ts';
import type { Clock } from '../../../clock.ts';
import type { Failure } from '../../../failure.ts';
import { createAnswerMeter, type AnswerOutcome } from '../../../output/answer-meter.ts';
import type { CheckedFields } from '../../../output/json-answer.ts';
import type { Permission } from './admission.ts';

export interface AttemptOptions {
  readonly client: Client;
  /** Refuses or redacts secrets in prompts; undefined if they are not checked. */
  readonly guard?: Middleware | undefined;
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
  /** The service refused it, and has answered no other item for too long. */
  readonly isStarved: boolean;
  /** Undefined if it is not checked. */
  readonly checked?: CheckedFields;
}

/** One request of an item. To be released at its end. */
export class ItemAttempt implements Throttle {
  readonly #options: AttemptOptions;
  readonly #permission: Permission | undefined;
  readonly #cancellation = new AbortController();
  readonly #meter: ReturnType<typeof createAnswerMeter>;
  #content = '';
  #isRefused = false;
  /** Monotonic time of the next retry, before which the end of the run cancels the request. */
  #retryAt = 0;

  constructor(options: AttemptOptions, permission: Permission | undefined) {
    const { signal, stop, clock } = options;
    this.#options = options;
    this.#permission = permission;
    this.#meter = createAnswerMeter(clock);
    signal.addEventListener('abort', this.#cancel);
    stop.addEventListener('abort', this.#cancelRetry);
    if (signal.aborted) this.#cancel();
  }

  /** A 429 that may be sent again. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  get isCancelled(): boolean {
    return this.#cancellation.signal.aborted;
  }

  async beforeRequest(): Promise<void> {
    const isAllowed = await this.#permission?.beforeRequest();
    if (isAllowed === false) this.#cancellation.abort(this.#options.stop.reason);
  }

  onResponse(response: Pick<HttpResponse, 'status' | 'headers'>): void {
    this.#permission?.onResponse(response);
  }

  onRefusal(retryAfter: number | undefined): void {
    this.#isRefused = true;
    this.#permission?.onRefusal(retryAfter);
  }

  async send(request: CompletionRequest): Promise<void> {
    const { client, guard } = this.#options;
    const { signal } = this.#cancellation;
    const options = this.#permission === undefined ? { signal } : { signal, throttle: this };
    for await (const event of (guard?.(client) ?? client).chat(request, options)) {
      this.#meter.event(event);
      if (event.type === 'text-received') this.#content += event.text;
      else if (event.type === 'retry-scheduled') {
        this.#retryAt = this.#options.clock.monotonic() + event.delay;
        this.#cancelRetry();
      }
    }
  }

  outcome(request: CompletionRequest, failure?: Failure, wasStopped = false): ItemOutcome {
    return {
      requestedModel: request.model,
      content: this.#content,
      metadata: this.#meter.metadata(failure),
      failure,
      wasStopped,
      isStarved: false,
    };
  }

  release(): void {
    this.#options.signal.removeEventListener('abort', this.#cancel);
    this.#options.stop.removeEventListener('abort', this.#cancelRetry);
  }

  readonly #cancel = (): void => this.#cancellation.abort(this.#options.signal.reason);

  readonly #cancelRetry = (): void => {
    const { stop, clock } = this.#options;
    if (stop.aborted && clock.monotonic() < this.#retryAt) this.#cancellation.abort(stop.reason);
  };
}
