import { Failure } from '../failure.ts';
import type { AnswerEnding, ChatEvent } from './events.ts';
import { detailsOf } from './failure/change-failure.ts';

/** The texts of an answer; one that the service did not send is empty. */
export interface AnswerTexts {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
}

export interface CollectedAnswer extends AnswerTexts, AnswerEnding {}

/**
 * The failure of an answer that was cut (kind `incomplete`), or that was filtered, refused or a tool call (kind
 * `no_answer`).
 * `received` has the texts that arrived; `ending` is undefined for an answer that was cut.
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
 * @throws IncompleteAnswer if the answer is cut after its first text, is filtered or refused, or is a tool call; and
 * any other error of `events`
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
  throw new Failure('unexpected', 'the events ended before the answer was complete');
}
