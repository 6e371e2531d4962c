import type { Choices, Question } from '../state/effect.ts';
import type { Draft } from '../editing/text-buffer.ts';
import type { ReplState } from '../state/state.ts';
import { type Step, step } from './step.ts';

/** Settings of a single answer. */
interface Comparison {
  readonly choices: Choices;
  /** The id of the answer to compare with. */
  readonly comparedWith: string;
}

/** Requests an answer; `prompt` is restored to the composer if none is received. */
export function requestAnswer(
  state: ReplState,
  question: Question,
  prompt: Draft | undefined,
  comparison?: Comparison,
): Step {
  const { now } = state;
  const { choices, comparedWith } = { ...state, comparedWith: undefined, ...comparison };
  const isAgain = question.type === 'again';
  const waiting = state.attachments.filter((file) => !state.returnedFiles.includes(file));
  const next: ReplState = {
    ...state,
    attachments: isAgain ? waiting : [],
    returnedFiles: [],
    activity: {
      type: 'answer',
      phase: 'waiting',
      model: choices.model,
      since: now,
      lastAt: now,
      tokens: 0,
      undecided: '',
      isStopping: false,
      prompt,
      files: isAgain ? [] : question.files,
      branch: state.branch,
      comparedWith,
    },
  };
  const nextModel = comparison === undefined ? {} : { nextModel: state.choices.model };
  return step(next, { type: 'ask', question, choices, ...nextModel });
}
