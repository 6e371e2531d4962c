import type { Action, AnswerOutcome, FailureText } from '../state/action.ts';
import type { Effect } from '../state/effect.ts';
import { type Entry, failureEntry, notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';
import { onAnswerEnded } from './answering.ts';
import { releaseKeys } from './pressing.ts';
import { andThen, reporting, step, type Step } from './step.ts';
import { advance } from './submitting.ts';

type Reason = FailureText | 'stopped';

/** Stopping failed: the activity continues and can be stopped again. */
function resumeActivity(state: ReplState): Step {
  const { activity } = state;
  if (activity === undefined) return step(state);
  return step({ ...state, activity: { ...activity, isStopping: false } });
}

/** How the state recovers when an effect of this type fails. */
const recoveries: Partial<Record<Effect['type'], (state: ReplState) => Step>> = {
  leave: (state) => step({ ...state, hasLeft: false }),
  stop: resumeActivity,
  'edit-externally': releaseKeys,
  'find-candidates': releaseKeys,
};

function entryOf(reason: Reason): Entry {
  return reason === 'stopped' ? notice('stopped') : failureEntry(reason.message, reason.hint);
}

function outcomeOf(reason: Reason): AnswerOutcome {
  return reason === 'stopped'
    ? { type: 'stopped', hasText: false }
    : { type: 'failed', hasText: false, failure: reason };
}

/** Reports a failed effect and ends its activity; typed text is kept. */
export function onEffectFailed(
  state: ReplState,
  { effect, failure }: Action & { type: 'effect-failed' },
): Step {
  const { activity } = state;
  if (effect.type === 'ask' && activity?.type === 'answer') {
    return onAnswerEnded(state, outcomeOf(failure), state.conversation);
  }
  const report = reporting(entryOf(failure));
  if (activity?.type === 'task' && activity.effect === effect) {
    const dialog = state.dialog ?? activity.dialog;
    return andThen(step({ ...state, activity: undefined, dialog }, report), advance);
  }
  return andThen(step(state, report), recoveries[effect.type] ?? step);
}
