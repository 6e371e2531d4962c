import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import { createAnswerMeter, type AnswerOutcome } from './answer-meter.ts';

/** A whole answer, or its part before a failure. */
export interface ReceivedAnswer extends AnswerOutcome {
  readonly content: string;
}

interface Receiving {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Shows the event; the next one is read after the promise. */
  readonly show?: ((event: ChatEvent) => Promise<void> | undefined) | undefined;
  /** The failure in what was thrown; undefined if the answer was stopped. Throws what is neither. */
  readonly failureOf: (error: unknown) => Failure | undefined;
}

/** Reads an answer to its end. A failed answer is a result, too. */
export async function receiveAnswer(
  events: AsyncIterable<ChatEvent>,
  { clock, show, failureOf }: Receiving,
): Promise<ReceivedAnswer> {
  const meter = createAnswerMeter(clock);
  const texts: string[] = [];
  let failure: Failure | undefined;
  try {
    for await (const event of events) {
      meter.event(event);
      if (event.type === 'text-received') texts.push(event.text);
      await show?.(event);
    }
  } catch (error) {
    failure = failureOf(error);
  }
  return { content: texts.join(''), metadata: meter.metadata(failure), failure };
}
