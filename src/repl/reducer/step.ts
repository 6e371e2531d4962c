import type { Effect } from '../state/effect.ts';
import { type Entry, failureEntry, notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';

/** The new state and the effects to run, in order. */
export interface Step {
  readonly state: ReplState;
  readonly effects: readonly Effect[];
}

export function step(state: ReplState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}

export function andThen(first: Step, next: (state: ReplState) => Step): Step {
  const second = next(first.state);
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

export function printing(...entries: readonly Entry[]): Effect {
  return { type: 'print', entries };
}

/** Prints entries that report a failed effect. */
export function reporting(...entries: readonly Entry[]): Effect {
  return { type: 'print', entries, isReport: true };
}

export function printNotice(state: ReplState, text: string): Step {
  return step(state, printing(notice(text)));
}

export function refuse(state: ReplState, message: string, hint?: string): Step {
  return step(state, printing(failureEntry(message, hint)));
}

export function leave(state: ReplState): Step {
  return step({ ...state, hasLeft: true }, { type: 'leave' });
}

/** Starts a task, which the `task-ended` action ends. */
export function startTask(state: ReplState, name: string, effect: Effect): Step {
  const { now: since, dialog } = state;
  const activity = { type: 'task', name, effect, since, isStopping: false, dialog } as const;
  return step({ ...state, activity, dialog: undefined }, effect);
}
