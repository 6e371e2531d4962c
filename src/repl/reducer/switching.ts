import { currentPath, lastPrompt, withBranch } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { versionsOf } from '../state/versions.ts';
import { refuse, printNotice, step, type Step } from './step.ts';

/** A version of the last turn, counted from 1; next and previous wrap around. */
export type VersionChoice = 'next' | 'previous' | number;

function indexOf(choice: VersionChoice, index: number, count: number): number {
  if (choice === 'next') return (index + 1) % count;
  if (choice === 'previous') return (index + count - 1) % count;
  return choice - 1;
}

/** Switches to another version of the last prompt or answer. */
export function switchVersion(state: ReplState, choice: VersionChoice): Step {
  const { conversation } = state;
  // While a prompt is being edited, its old version is still the current one.
  const branch = state.branch?.reason === 'edit' ? undefined : state.branch;
  const pair = lastPrompt(currentPath(conversation, branch));
  if (pair === undefined) {
    return refuse(state, 'there is no prompt yet', 'type one and press Enter');
  }
  const { ends, index } = versionsOf(conversation, pair);
  if (ends.length < 2) {
    return refuse(state, 'the last turn has only one version', '/retry or /edit adds one');
  }
  const chosen = ends[indexOf(choice, index, ends.length)];
  if (chosen === undefined) return refuse(state, `there are versions 1 to ${ends.length}`);
  if (chosen === ends[index])
    return printNotice(state, `this is version ${choice} of ${ends.length}`);
  const next = state.branch?.reason === 'undo' ? withBranch(state, undefined) : state;
  return step(next, { type: 'choose', turnId: chosen.id });
}
