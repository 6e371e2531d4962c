import type { Client, Throttle } from '../../../client/client.ts';
import type { CompletionRequest } from '../../../client/contract.ts';
import type { ChatEvent } from '../../../client/events.ts';
import type { HttpResponse } from '../../../client/http/transport.ts';
import type { Failure } from '../../../failure.ts';
import { createAnswerMeter, type AnswerOutcome } from '../../../output/answer-meter.ts';
import type { CheckedFields } from '../../../output/json-answer.ts';
import type { Permission } from './admission.ts';
import { type CancellationOptions, releaseCancellation, takeCancellation } from './cancellation.ts';

export interface AttemptOptions extends CancellationOptions {
  readonly client: Client;
  /** The client that refuses or redacts secrets in prompts; undefined if they are not checked. */
  readonly guard?: ((client: Client) => Client) | undefined;
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

async function takeEvents(
  events: AsyncIterable<ChatEvent>,
  take: (event: ChatEvent) => void,
): Promise<void> {
  for await (const event of events) take(event);
}

/** One request of an item. To be released at its end. */
export class ItemAttempt implements Throttle {
  readonly #options: AttemptOptions;
  readonly #permission: Permission | undefined;
  readonly #cancellation: ReturnType<typeof takeCancellation>;
  readonly #meter: ReturnType<typeof createAnswerMeter>;
  #content = '';
  #isRefused = false;

  constructor(options: AttemptOptions, permission: Permission | undefined) {
    this.#options = options;
    this.#permission = permission;
    this.#cancellation = takeCancellation(options);
    this.#meter = createAnswerMeter(options.clock);
  }

  /** A 429 that may be sent again. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  get isCancelled(): boolean {
    return this.#cancellation.signal.aborted;
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

  send(request: CompletionRequest): Promise<void> {
    const { guard } = this.#options;
    const client = guard?.(this.#options.client) ?? this.#options.client;
    const { signal } = this.#cancellation;
    const options = this.#permission === undefined ? { signal } : { signal, throttle: this };
    const take = (event: ChatEvent): void => this.#take(event);
    return client.send?.(request, take, options) ?? takeEvents(client.chat(request, options), take);
  }

  #take(event: ChatEvent): void {
    this.#meter.event(event);
    if (event.type === 'text-received') this.#content += event.text;
    else if (event.type === 'retry-scheduled') this.#cancellation.retryScheduled(event.delay);
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
    releaseCancellation(this.#options, this.#cancellation);
  }
}
