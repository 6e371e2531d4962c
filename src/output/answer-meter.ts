import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import type { Usage } from '../client/contract.ts';
import type { ChatEvent, Timing } from '../client/events.ts';

/** Measures requests and times from the events of one prompt, so that an unfinished answer has them too. */
export interface AnswerMeter {
  event(event: ChatEvent): void;
  /** The figures so far: those of a finished answer, else the measured ones. */
  record(failure?: Failure): AnswerRecord;
}

/** Create it when the prompt is sent. */
export function createAnswerMeter(clock: Pick<Clock, 'monotonic'>): AnswerMeter {
  const start = clock.monotonic();
  const elapsed = () => clock.monotonic() - start;
  let record = emptyAnswer;
  let firstText: number | undefined;
  let attempts = 1;
  /** Time of the next request; undefined if none is scheduled. */
  let next: number | undefined;
  return {
    event(event) {
      record = recordEvent(record, event);
      if (event.type === 'text-received') firstText ??= elapsed();
      if (event.type === 'answer-started') {
        attempts = event.attempt;
        next = undefined;
      }
      if (event.type === 'retry-scheduled') {
        attempts = event.retry;
        next = elapsed() + event.delay;
      }
    },
    record(failure) {
      if (record.complete) return record;
      const sent = next !== undefined && elapsed() >= next ? attempts + 1 : attempts;
      const timing = { ...(firstText !== undefined && { firstText }), total: elapsed() };
      return { ...record, attempts: failure?.attempts ?? sent, timing };
    },
  };
}

/** What is known of an answer so far. */
export interface AnswerRecord {
  readonly id?: string;
  readonly model?: string;
  /** The refusal, which is separate from the text. */
  readonly refusal?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly attempts?: number;
  readonly timing?: Timing;
  /** The service said that the answer is complete. */
  readonly complete: boolean;
}

export const emptyAnswer: AnswerRecord = { complete: false };

/** Updates the record from an event; text deltas are not recorded, refusals are. */
export function recordEvent(record: AnswerRecord, event: ChatEvent): AnswerRecord {
  // The model name of a failed attempt does not apply to its retry.
  if (event.type === 'answer-started') return emptyAnswer;
  if (event.type === 'refusal-received') {
    return { ...record, refusal: (record.refusal ?? '') + event.text };
  }
  if (event.type !== 'answer-named' && event.type !== 'answer-finished') return record;
  const { type, ...said } = event;
  return { ...record, ...said, complete: type === 'answer-finished' };
}
