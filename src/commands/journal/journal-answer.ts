import type { ChatEvent } from '../../client/events.ts';
import { answerEnd } from '../../conversation/answer-end.ts';
import type { AnswerEnd, Journal } from '../../conversation/journal/journal.ts';
import { Failure } from '../../failure.ts';

/**
 * Hands on the events of an answer and journals them. The answer is begun when the service accepts the prompt,
 * so that its first text waits for nothing; one that fails, or that is stopped, is kept as incomplete.
 * @param begun the id of an answer that was begun before
 */
export async function* journalAnswer(
  journal: Journal,
  model: string,
  events: AsyncIterable<ChatEvent>,
  begun?: string,
): AsyncGenerator<ChatEvent, void> {
  let answerId = begun;
  let end: AnswerEnd = { incomplete: true };
  const begin = () => (answerId ??= journal.startAnswer({ model }).id);
  try {
    for await (const event of events) {
      if (event.type === 'answer-started') begin();
      if (event.type === 'text-received') journal.appendText(begin(), event.text);
      if (event.type === 'refusal-received') journal.appendRefusal(begin(), event.text);
      if (event.type === 'answer-named') end = { ...end, model: event.model };
      if (event.type === 'answer-finished') end = answerEnd(event);
      yield event;
    }
  } catch (error) {
    const failure = error instanceof Failure ? error.kind : undefined;
    // What is no answer has ended all the same: nothing of it was cut.
    end = failure === 'no_answer' ? { ...end, failure } : { ...end, incomplete: true, failure };
    throw error;
  } finally {
    journal.endAnswer(begin(), end);
  }
}
