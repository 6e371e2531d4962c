import type { ChatEvent } from '../../client/events.ts';
import type { AnswerOutcome } from '../answer-meter.ts';
import type { CheckedFields } from '../json-answer.ts';

/** The answer of one model, or why it is missing; the failure is undefined too if the user stopped it. */
export interface ComparedAnswer extends AnswerOutcome {
  /** The model as named by the user, with a number if it is compared with itself. */
  readonly label: string;
  readonly model: string;
  readonly content: string;
  /** Undefined if it is not checked. */
  readonly checked?: CheckedFields;
}

/** Shows several answers while they stream, identified by their index in the requested order. */
export interface ComparisonView {
  /** A promise is returned while the reader is slow: await it before the next event of this answer. */
  event(index: number, event: ChatEvent): Promise<void> | undefined;
  ended(index: number, answer: ComparedAnswer): Promise<void> | undefined;
  /** Call after the last event of all answers. */
  close(): Promise<void>;
  removed(): number;
}

/** The service's finish reason, or why the answer was cut, in one word. */
export function endReasonOf({ metadata, failure }: ComparedAnswer): string {
  if (failure !== undefined) return failure.kind;
  return metadata.complete ? (metadata.finishReason ?? '-') : 'stopped';
}
