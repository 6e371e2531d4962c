import { Failure } from '../failure.ts';
import type { AnswerFinished, ChatEvent } from './events.ts';
import { detailsOf } from './failure/request-failure.ts';

/** The texts of an answer; what was not sent is empty. */
export interface AnswerTexts {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
}

/** What the service said at the end of an answer. */
export interface AnswerEnding extends Omit<AnswerFinished, 'type'> {}

/** A whole answer: its texts, and what the service said at its end. */
export interface CollectedAnswer extends AnswerTexts, AnswerEnding {}

/**
 * An answer that broke off (kind `incomplete`), or that is none (kind `no_answer`). `received` is what was sent of it,
 * `ending` what the service said at its end, undefined for one that broke off.
 */
export class IncompleteAnswer extends Failure {
  readonly received: AnswerTexts;
  readonly ending: AnswerEnding | undefined;

  constructor(failure: Failure, received: AnswerTexts, ending?: AnswerEnding) {
    super(failure.kind, failure.message, detailsOf(failure));
    this.received = received;
    this.ending = ending;
  }
}

/**
 * Reads the events of one prompt to their end.
 * @throws IncompleteAnswer when the answer breaks off after its first text, or is none; otherwise what `events`
 * throws.
 */
export async function collectAnswer(events: AsyncIterable<ChatEvent>): Promise<CollectedAnswer> {
  const texts = { text: '', reasoning: '', refusal: '' };
  let ending: AnswerEnding | undefined;
  try {
    for await (const event of events) {
      if (event.type === 'text-received') texts.text += event.text;
      else if (event.type === 'reasoning-received') texts.reasoning += event.text;
      else if (event.type === 'refusal-received') texts.refusal += event.text;
      else if (event.type === 'answer-finished') {
        const { type: _type, ...end } = event;
        ending = end;
      }
    }
  } catch (error) {
    const isPartial =
      error instanceof Failure && (error.kind === 'incomplete' || error.kind === 'no_answer');
    throw isPartial ? new IncompleteAnswer(error, texts, ending) : error;
  }
  if (ending !== undefined) return { ...texts, ...ending };
  throw new Failure('unexpected', 'the events ended before the answer did');
}
