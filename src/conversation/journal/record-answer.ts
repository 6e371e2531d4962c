import type { ChatEvent } from '../../client/events.ts';
import { Failure, type FailureKind } from '../../failure.ts';
import type { AnswerEnd } from '../tree.ts';
import type { Journal, NewAnswer } from './journal.ts';

export interface AnswerRecorder {
  /** The answer's turn begins with its first text or refusal. */
  event(event: ChatEvent): void;
  /**
   * Ends the answer; it is complete only after `answer-finished`. An answer that failed without text is recorded only if
   * its prompt has no other one. Calls and events after the first do nothing.
   */
  end(failure?: FailureKind): void;
}

function hasOtherAnswer(journal: Journal, prompt: string | undefined): boolean {
  if (prompt === undefined) return false;
  const turns = [...journal.conversation().turns.values()];
  return turns.some(({ role, parent }) => role === 'assistant' && parent === prompt);
}

/** `startedTurn`: the id of the answer's turn, if it exists already. */
export function createAnswerRecorder(
  journal: Journal,
  answer: NewAnswer,
  startedTurn?: string,
): AnswerRecorder {
  let turnId = startedTurn;
  let end: AnswerEnd = { incomplete: true };
  let hasEnded = false;
  const begin = () => (turnId ??= journal.startAnswer(answer).id);
  return {
    event(event) {
      if (hasEnded) return;
      if (event.type === 'text-received') journal.appendText(begin(), event.text);
      else if (event.type === 'refusal-received') journal.appendRefusal(begin(), event.text);
      else if (event.type === 'reasoning-received') {
        if (event.received !== undefined) journal.appendThought(begin(), event.received);
      } else if (event.type === 'answer-named' && event.model !== undefined) {
        end = { ...end, model: event.model };
      } else if (event.type === 'answer-started') {
        // The model named by a failed attempt is not this answer's.
        end = { incomplete: true };
      } else if (event.type === 'answer-finished') {
        const { type: _type, id: _id, attempts: _attempts, ...finished } = event;
        end = finished;
      }
    },
    end(failure) {
      if (hasEnded) return;
      hasEnded = true;
      if (failure !== undefined) end = { ...end, failure };
      // A filtered answer, a tool call and a refusal are complete, although they are failures.
      if (failure !== undefined && failure !== 'no_answer') end = { ...end, incomplete: true };
      const isCut = end.incomplete === true;
      if (turnId === undefined && isCut && hasOtherAnswer(journal, answer.parent)) return;
      journal.endAnswer(begin(), end);
    },
  };
}

/**
 * Yields the events of an answer and records them; an answer that fails or is stopped is recorded as incomplete. An
 * event is recorded in the next turn of the event loop, or before the next event: its text is printed first.
 */
export async function* recordAnswer(
  recorder: AnswerRecorder,
  events: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, void> {
  let failure: FailureKind | undefined;
  let unrecorded: ChatEvent | undefined;
  const record = () => {
    if (unrecorded !== undefined) recorder.event(unrecorded);
    unrecorded = undefined;
  };
  try {
    for await (const event of events) {
      record();
      unrecorded = event;
      setImmediate(record);
      yield event;
    }
  } catch (error) {
    failure = error instanceof Failure ? error.kind : undefined;
    throw error;
  } finally {
    record();
    recorder.end(failure);
  }
}
