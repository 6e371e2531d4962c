import { currentPath, lastPrompt } from '../state/position.ts';
import type { AnswerActivity, ReplState } from '../state/state.ts';
import { closingOf } from '../text/closing.ts';
import { printing, step, type Step } from './step.ts';

export type EndedAnswer = Pick<AnswerActivity, 'draft' | 'files' | 'branch' | 'comparedWith'> & {
  readonly model?: string;
  /** Monotonic milliseconds; undefined if the answer was not in progress. */
  readonly since?: number;
};

/** Prints the row below an answer; `hasNoFacts`: only its version. */
export function closeAnswer(state: ReplState, { since }: EndedAnswer, hasNoFacts = false): Step {
  const { conversation, now } = state;
  const pair = lastPrompt(currentPath(conversation, state.branch));
  if (pair?.answer === undefined) return step(state);
  const measured = since === undefined ? {} : { measured: now - since };
  const entries = closingOf(conversation, pair, { ...measured, hasNoFacts });
  return entries.length === 0 ? step(state) : step(state, printing(...entries));
}
