import type { Question } from '../effect.ts';
import type { Draft } from '../editing/text-buffer.ts';
import type { ReplState } from '../state.ts';
import { type Step, step } from './step.ts';

/** Asks for an answer; `prompt` is given back to the composer when none comes. */
export function ask(state: ReplState, question: Question, prompt: Draft | undefined): Step {
  const { choices, now } = state;
  const next: ReplState = {
    ...state,
    activity: {
      type: 'answer',
      phase: 'waiting',
      model: choices.model,
      since: now,
      tokens: 0,
      held: '',
      isStopping: false,
      prompt,
    },
  };
  return step(next, { type: 'ask', question, choices });
}
