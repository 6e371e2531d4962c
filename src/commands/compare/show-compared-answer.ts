import type { ChatEvent } from '../../client/events.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { createAnswerMeter } from '../../output/answer-meter.ts';
import { withHint } from '../program/report.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison/comparison-view.ts';

export interface ShowOptions {
  readonly index: number;
  readonly label: string;
  readonly model: string;
  readonly view: ComparisonView;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Shows the events of one answer and collects what came of it; one that fails or is stopped is a result too.
 * @throws what is no failure of the service's, unless `signal` is aborted
 */
export async function showComparedAnswer(
  events: AsyncIterable<ChatEvent>,
  { index, label, model, view, clock, signal }: ShowOptions,
): Promise<ComparedAnswer> {
  const meter = createAnswerMeter(clock);
  const texts: string[] = [];
  let failure: Failure | undefined;
  try {
    for await (const event of events) {
      meter.event(event);
      if (event.type === 'text-received') texts.push(event.text);
      await view.event(index, event);
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof Failure)) throw error;
    failure = error instanceof Failure ? withHint(error) : undefined;
  }
  const content = texts.join('');
  const answer = { label, model, content, record: meter.record(failure), failure };
  await view.ended(index, answer);
  return answer;
}
