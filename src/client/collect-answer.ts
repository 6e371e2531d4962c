import { Failure } from '../failure.ts';
import type { AnswerFinished, ChatEvent } from './events.ts';
import { detailsOf } from './request-failure.ts';

/** The texts of an answer; what did not come is empty. */
export interface AnswerTexts {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
}

/** A whole answer: its texts, and what the service said at its end. */
export interface CollectedAnswer extends AnswerTexts, Omit<AnswerFinished, 'type'> {}

/** An answer that broke off; `received` is what came of it. */
export class IncompleteAnswer extends Failure {
  readonly received: AnswerTexts;

  constructor(failure: Failure, received: AnswerTexts) {
    super(failure.kind, failure.message, detailsOf(failure));
    this.received = received;
  }
}

/**
 * Reads the events of one prompt to their end.
 * @throws IncompleteAnswer, kind `incomplete`, when the answer breaks off after its first text; otherwise what
 * `events` throws.
 */
export async function collectAnswer(events: AsyncIterable<ChatEvent>): Promise<CollectedAnswer> {
  const texts = { text: '', reasoning: '', refusal: '' };
  try {
    for await (const event of events) {
      if (event.type === 'text-received') texts.text += event.text;
      else if (event.type === 'reasoning-received') texts.reasoning += event.text;
      else if (event.type === 'refusal-received') texts.refusal += event.text;
      else if (event.type === 'answer-finished') {
        const { type: _type, ...end } = event;
        return { ...texts, ...end };
      }
    }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'incomplete') {
      throw new IncompleteAnswer(error, texts);
    }
    throw error;
  }
  throw new Failure('unexpected', 'the events ended before the answer did');
}
