import { type Answer, ask } from '../../../ask/ask.ts';
import type { Client, Throttle } from '../../../client/client.ts';
import type { CompletionRequest } from '../../../client/contract.ts';
import type { HttpResponse } from '../../../client/http/transport.ts';
import type { CheckedFields } from '../../../output/json-answer.ts';
import type { Permission } from './admission.ts';
import { type CancellationOptions, releaseCancellation, takeCancellation } from './cancellation.ts';

export interface AttemptOptions extends CancellationOptions {
  readonly client: Client;
  /** The client that refuses or redacts secrets in prompts; undefined if they are not checked. */
  readonly guard?: ((client: Client) => Client) | undefined;
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
  readonly #cancellation: ReturnType<typeof takeCancellation>;
  #isRefused = false;

  constructor(options: AttemptOptions, permission: Permission | undefined) {
    this.#options = options;
    this.#permission = permission;
    this.#cancellation = takeCancellation(options);
  }

  /** A 429 that may be sent again. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  beforeRequest(): Promise<void> | undefined {
    return this.#permission?.beforeRequest()?.then((isAllowed) => {
      if (!isAllowed) this.#cancellation.cancel();
    });
  }

  onResponse(response: Pick<HttpResponse, 'status' | 'headers'>): void {
    this.#permission?.onResponse(response);
  }

  onRefusal(retryAfter: number | undefined): void {
    this.#isRefused = true;
    this.#permission?.onRefusal(retryAfter);
  }

  async send(request: CompletionRequest): Promise<Answer> {
    const { guard, clock } = this.#options;
    const client = guard?.(this.#options.client) ?? this.#options.client;
    const cancellation = this.#cancellation;
    const { signal } = cancellation;
    const options = this.#permission === undefined ? { signal } : { signal, throttle: this };
    try {
      return await ask(
        { send: () => client.chat(request, options), clock, signal },
        {
          event(event) {
            if (event.type === 'retry-scheduled') cancellation.retryScheduled(event.delay);
            return undefined;
          },
        },
      );
    } finally {
      releaseCancellation(this.#options, cancellation);
    }
  }
}
