import type { ChatEvent } from '../../client/events.ts';
import type { Failure } from '../../failure.ts';
import type { AnswerRecord } from '../answer-meter.ts';

/** The answer of one model, or why there is none. */
export interface ComparedAnswer {
  /** The model as named by the user, with a number if it is compared with itself. */
  readonly label: string;
  /** The requested model. */
  readonly model: string;
  readonly content: string;
  /** With measured times if the answer did not finish. */
  readonly record: AnswerRecord;
  /** Why it did not finish; also undefined if the user stopped it. */
  readonly failure: Failure | undefined;
}

/** Shows several answers while they stream, identified by their index in the requested order. */
export interface ComparisonView {
  /** A promise is returned while the reader is slow: await it before the next event of this answer. */
  event(index: number, event: ChatEvent): Promise<void> | undefined;
  ended(index: number, answer: ComparedAnswer): Promise<void> | undefined;
  /** Call after the last event of all answers. */
  close(): Promise<void>;
  /** Number of characters removed by the sanitizer. */
  removed(): number;
}

/** The service's finish reason, or why the answer was cut, in one word. */
export function endingOf({ record, failure }: ComparedAnswer): string {
  if (failure !== undefined) return failure.kind;
  return record.complete ? (record.finishReason ?? '-') : 'stopped';
}
