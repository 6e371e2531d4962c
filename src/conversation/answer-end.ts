import type { AnswerFinished } from '../client/events.ts';
import type { AnswerEnd } from './journal/journal.ts';

/** The end of an answer that is whole, of the event that tells it. */
export function answerEnd({ model, finishReason, usage, timing }: AnswerFinished): AnswerEnd {
  return { model, finishReason, usage, timing };
}
