import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import type { Usage } from '../client/contract.ts';
import type { ChatEvent, Timing } from '../client/events.ts';
import type { PassedModel } from '../conversation/tree.ts';
import type { Writable } from '../writable.ts';

/** What is known about an answer, apart from its text. */
export interface AnswerMetadata {
  readonly id?: string;
  readonly model?: string;
  /** The profile of the model, if there are fallbacks. */
  readonly profile?: string;
  /** The models that were asked before. */
  readonly fallbackFrom?: readonly PassedModel[];
  readonly refusal?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** See `AnswerFinished`. */
  readonly estimatedPromptTokens?: number;
  /** What the service counted for that prompt, if `usage` is the sum of several requests. */
  readonly countedPromptTokens?: number;
  readonly attempts?: number;
  readonly timing?: Timing;
  /** The service reported that the answer is complete. */
  readonly complete: boolean;
}

export interface AnswerOutcome {
  readonly metadata: AnswerMetadata;
  /** Why the answer is missing or incomplete; undefined for a complete answer. */
  readonly failure: Failure | undefined;
}

function addTo(metadata: Writable<AnswerMetadata>, event: ChatEvent): void {
  if (event.type === 'refusal-received') {
    metadata.refusal = (metadata.refusal ?? '') + event.text;
    return;
  }
  if (event.type !== 'answer-named' && event.type !== 'answer-finished') return;
  const { id, model } = event;
  if (id !== undefined) metadata.id = id;
  if (model !== undefined) metadata.model = model;
  if (event.type === 'answer-named') return;
  const { finishReason, usage, attempts, timing, estimatedPromptTokens } = event;
  if (estimatedPromptTokens !== undefined) metadata.estimatedPromptTokens = estimatedPromptTokens;
  if (finishReason !== undefined) metadata.finishReason = finishReason;
  if (usage !== undefined) metadata.usage = usage;
  metadata.attempts = attempts;
  metadata.timing = timing;
  metadata.complete = true;
}

/**
 * Counts attempts and measures times from the events of one prompt, because an unfinished answer reports none. Time starts
 * when it is made.
 */
export class AnswerMeter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #start: number;
  #metadata: Writable<AnswerMetadata> = { complete: false };
  #firstText: number | undefined;
  #attempts = 1;
  /** Time of the next request; undefined if none is scheduled. */
  #next: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#start = clock.monotonic();
  }

  event(event: ChatEvent): void {
    if (event.type === 'text-received') {
      this.#firstText ??= this.#elapsed();
      return;
    }
    addTo(this.#metadata, event);
    if (event.type === 'answer-started') {
      // The model name of a failed attempt does not apply to its retry.
      this.#metadata = { complete: false };
      this.#attempts = event.attempt;
      this.#next = undefined;
    }
    if (event.type === 'retry-scheduled') {
      this.#attempts = event.retry;
      this.#next = this.#elapsed() + event.delay;
    }
  }

  /** A finished answer has the reported attempts and times, any other the measured ones. */
  metadata(failure?: Failure): AnswerMetadata {
    const metadata = this.#metadata;
    if (metadata.complete) return metadata;
    const firstText = this.#firstText;
    const isSent = this.#next !== undefined && this.#elapsed() >= this.#next;
    const sent = isSent ? this.#attempts + 1 : this.#attempts;
    const timing = { ...(firstText !== undefined && { firstText }), total: this.#elapsed() };
    return { ...metadata, attempts: failure?.attempts ?? sent, timing };
  }

  #elapsed(): number {
    return this.#clock.monotonic() - this.#start;
  }
}
