import { type Answer, ask } from '../../../ask/ask.ts';
import type { Client, Middleware, Throttle } from '../../../client/client.ts';
import type { CompletionRequest } from '../../../client/contract.ts';
import type { HttpResponse } from '../../../client/http/transport.ts';
import type { Clock } from '../../../clock.ts';
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

/** The answer to an item, with all text that was received before a failure. */
export interface ItemOutcome extends Answer {
  readonly requestedModel: string;
  /** The service refused it, and has answered no other item for too long. */
  readonly isStarved: boolean;
  /** Undefined if it is not checked. */
  readonly checked?: CheckedFields;
}

/** One request of an item. */
export class ItemAttempt implements Throttle {
  readonly #options: AttemptOptions;
  readonly #permission: Permission | undefined;
  readonly #cancellation = new AbortController();
  #isRefused = false;
  /** Monotonic time of the next retry, before which the end of the run cancels the request. */
  #retryAt = 0;

  constructor(options: AttemptOptions, permission: Permission | undefined) {
    const { signal, stop } = options;
    this.#options = options;
    this.#permission = permission;
    signal.addEventListener('abort', this.#cancel);
    stop.addEventListener('abort', this.#cancelRetry);
    if (signal.aborted) this.#cancel();
  }

  /** A 429 that may be sent again. */
  get isRefused(): boolean {
    return this.#isRefused;
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

  async send(request: CompletionRequest): Promise<Answer> {
    const { client, guard, clock, stop, signal: caller } = this.#options;
    const { signal } = this.#cancellation;
    const options = this.#permission === undefined ? { signal } : { signal, throttle: this };
    const { chat } = guard?.(client) ?? client;
    try {
      return await ask(
        { send: () => chat(request, options), clock, signal },
        {
          event: (event) => {
            if (event.type !== 'retry-scheduled') return undefined;
            this.#retryAt = clock.monotonic() + event.delay;
            this.#cancelRetry();
            return undefined;
          },
        },
      );
    } finally {
      caller.removeEventListener('abort', this.#cancel);
      stop.removeEventListener('abort', this.#cancelRetry);
    }
  }

  readonly #cancel = (): void => this.#cancellation.abort(this.#options.signal.reason);

  readonly #cancelRetry = (): void => {
    const { stop, clock } = this.#options;
    if (stop.aborted && clock.monotonic() < this.#retryAt) this.#cancellation.abort(stop.reason);
  };
}
