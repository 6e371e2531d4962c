import type { Usage } from '../client/contract.ts';
import type { ChatEvent, Timing } from '../client/events.ts';

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
