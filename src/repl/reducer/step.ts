import type { Effect } from '../state/effect.ts';
import { type Entry, failureEntry, notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';

/** What an action leads to: the new state, and what is to be done, in order. */
export interface Step {
  readonly state: ReplState;
  readonly effects: readonly Effect[];
}

export function step(state: ReplState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}

/** One step after the other. */
export function andThen(first: Step, next: (state: ReplState) => Step): Step {
  const second = next(first.state);
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

export function printing(...entries: readonly Entry[]): Effect {
  return { type: 'print', entries };
}

/** Says why an effect failed. */
export function reporting(...entries: readonly Entry[]): Effect {
  return { type: 'print', entries, isReport: true };
}

/** Says something and changes nothing. */
export function say(state: ReplState, text: string): Step {
  return step(state, printing(notice(text)));
}

/** Says why something could not be done. */
export function refuse(state: ReplState, message: string, hint?: string): Step {
  return step(state, printing(failureEntry(message, hint)));
}

export function leave(state: ReplState): Step {
  return step({ ...state, hasLeft: true }, { type: 'leave' });
}

/** Begins something that takes time; the `task-ended` action ends it. */
export function startTask(state: ReplState, name: string, effect: Effect): Step {
  const { now: since, dialog } = state;
  const activity = { type: 'task', name, effect, since, isStopping: false, dialog } as const;
  return step({ ...state, activity, dialog: undefined }, effect);
}
