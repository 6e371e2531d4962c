import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import type { AnswerEnding, ChatEvent } from '../client/events.ts';
import type { PassedModel } from '../conversation/tree.ts';
import type { Writable } from '../writable.ts';

/** What is known about an answer, apart from its text. */
export interface AnswerMetadata extends Partial<AnswerEnding> {
  /** The profile of the model, if there are fallbacks. */
  readonly profile?: string;
  /** The models that were asked before. */
  readonly fallbackFrom?: readonly PassedModel[];
  readonly refusal?: string;
  /** What the service counted for the prompt of `estimatedPromptTokens`, if `usage` is the sum of several requests. */
  readonly countedPromptTokens?: number;
  /** The service reported that the answer is complete. */
  readonly complete: boolean;
}

/** What the check of an answer adds to its JSON. */
export interface CheckedFields {
  /** All fields but the value. */
  readonly fields: object;
  /** Adds the value to a line of JSON, with the digits that the model wrote. */
  readonly withValue: (line: string) => string;
}

export interface AnswerOutcome {
  readonly content: string;
  readonly metadata: AnswerMetadata;
  /** Why the answer is missing or incomplete; undefined for a complete answer. */
  readonly failure: Failure | undefined;
  /** Undefined if it is not checked. */
  readonly checked?: CheckedFields;
}

/**
 * Counts attempts and measures times from the events of one prompt, because an unfinished answer reports none. Time starts
 * when it is made.
 */
export function createAnswerMeter(clock: Clock) {
  const start = clock.monotonic();
  const elapsed = () => clock.monotonic() - start;
  let metadata: Writable<AnswerMetadata> = { complete: false };
  let firstText: number | undefined;
  let attempts = 1;
  /** Time of the next request; undefined if none is scheduled. */
  let next: number | undefined;
  return {
    event(event: ChatEvent): void {
      switch (event.type) {
        case 'text-received':
          firstText ??= elapsed();
          return;
        case 'refusal-received':
          metadata.refusal = (metadata.refusal ?? '') + event.text;
          return;
        case 'answer-named':
        case 'answer-finished': {
          const { type, ...known } = event;
          Object.assign(metadata, known);
          if (type === 'answer-finished') metadata.complete = true;
          return;
        }
        case 'answer-started':
          // The model name of a failed attempt does not apply to its retry.
          metadata = { complete: false };
          attempts = event.attempt;
          next = undefined;
          return;
        case 'retry-scheduled':
          attempts = event.retry;
          next = elapsed() + event.delay;
          return;
        case 'reasoning-received':
          return;
      }
    },
    /** A finished answer has the reported attempts and times, any other the measured ones. */
    metadata(failure?: Failure): AnswerMetadata {
      if (metadata.complete) return metadata;
      const sent = next !== undefined && elapsed() >= next ? attempts + 1 : attempts;
      const timing = { ...(firstText !== undefined && { firstText }), total: elapsed() };
      return { ...metadata, attempts: failure?.attempts ?? sent, timing };
    },
  };
}
