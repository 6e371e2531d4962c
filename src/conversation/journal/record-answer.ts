import type { ChatEvent } from '../../client/events.ts';
import type { FailureKind } from '../../failure.ts';
import { isAnswer, type AnswerEnd, type Turn } from '../tree.ts';
import type { Journal, NewAnswer } from './journal.ts';

export type AnswerRecorder = ReturnType<typeof createAnswerRecorder>;

/**
 * Records an answer, or more of one that was cut, which stays as it is if nothing comes.
 * @param startedTurn the id of its turn, if it exists already
 */
export function createAnswerRecorder(journal: Journal, answer: NewAnswer, startedTurn?: string) {
  let turnId = startedTurn;
  let end: AnswerEnd = { incomplete: true };
  let hasEnded = false;
  let hasContent = false;
  let before: string | undefined;
  const begin = () => {
    if (turnId === undefined) before = journal.conversation().selection.get(answer.parent);
    return (turnId ??= journal.startAnswer(answer).id);
  };
  return {
    /** The answer's turn begins with its first text, refusal or reasoning. */
    event(event: ChatEvent): void {
      if (hasEnded) return;
      hasContent ||= ['text-received', 'refusal-received', 'answer-finished'].includes(event.type);
      if (event.type === 'text-received') journal.append('text', begin(), event.text);
      else if (event.type === 'refusal-received') journal.append('refusal', begin(), event.text);
      else if (event.type === 'reasoning-received') {
        journal.append('thought', begin(), event.received ?? event.text);
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
    /**
     * Ends the answer; it is complete only after `answer-finished`. An answer that failed without text and reasoning is
     * recorded only if its prompt has no other one; with reasoning alone, the answer before it stays selected. Calls and
     * events after the first do nothing.
     */
    end(failure?: FailureKind): void {
      if (hasEnded) return;
      hasEnded = true;
      const started = journal.conversation().turns.get(startedTurn ?? '');
      if (!hasContent && isAnswer(started)) return;
      if (failure !== undefined) end = { ...end, failure };
      // A filtered answer, a tool call and a refusal are complete, although they are failures.
      if (failure !== undefined && failure !== 'no_answer') end = { ...end, incomplete: true };
      if (turnId === undefined && end.incomplete === true && answer.parent !== undefined) {
        const turns = [...journal.conversation().turns.values()];
        const isOther = ({ role, parent }: Turn) =>
          role === 'assistant' && parent === answer.parent;
        if (turns.some(isOther)) return;
      }
      const ended = journal.endAnswer(begin(), end);
      const earlier = journal.conversation().turns.get(before ?? '');
      if (end.incomplete === true && !isAnswer(ended) && earlier?.role === 'assistant') {
        journal.select(earlier.id);
      }
    },
    /** The id of the answer's turn; undefined before it begins. */
    turn: () => turnId,
  };
}

export type PromptRecord = ReturnType<typeof createPromptRecord>;

/** The place of a prompt in a journal. @param startedTurn the id of the first answer's turn, if it exists already */
export function createPromptRecord(
  journal: Journal,
  prompt: string | undefined,
  startedTurn?: string,
) {
  let parent = prompt;
  let started = startedTurn;
  let last: AnswerRecorder | undefined;
  const turn = () => last?.turn() ?? started;
  return {
    /** Begins the answer of a model, which becomes a version of one to the same prompt. */
    begin(answer: NewAnswer): AnswerRecorder {
      last = createAnswerRecorder(journal, { ...answer, parent }, started);
      started = undefined;
      return last;
    },
    /** Records the next prompt, below the answer that was begun last. */
    addPrompt(content: string): void {
      parent = journal.addTurn({ role: 'user', content, parent: turn() }).id;
    },
    /** The turn of the last answer; undefined if it has none. */
    turn,
  };
}
