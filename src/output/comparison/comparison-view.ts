import type { ChatEvent } from '../../client/events.ts';
import type { Failure } from '../../failure.ts';
import type { AnswerRecord } from '../answer-record.ts';

/** What came of one model. */
export interface ComparedAnswer {
  /** The model as the person named it; a number after it where it is asked twice. */
  readonly label: string;
  /** The model asked. */
  readonly model: string;
  readonly content: string;
  /** With the times natter measured, where the answer did not finish. */
  readonly record: AnswerRecord;
  /** Why it did not finish; undefined also for one that the person stopped. */
  readonly failure: Failure | undefined;
}

/** Shows several answers while they come; they are known by their place in the order that was asked for. */
export interface ComparisonView {
  /** A promise is returned while the reader is slow: await it before the next event of this answer. */
  event(index: number, event: ChatEvent): Promise<void> | undefined;
  ended(index: number, answer: ComparedAnswer): Promise<void> | undefined;
  /** All that came is shown; nothing else will come. */
  close(): Promise<void>;
  /** Characters that were not let through to the terminal. */
  removed(): number;
}

/** How an answer ended, in a word: the service's reason, or why it was cut. */
export function endingOf({ record, failure }: ComparedAnswer): string {
  if (failure !== undefined) return failure.kind;
  return record.complete ? (record.finishReason ?? '-') : 'stopped';
}
