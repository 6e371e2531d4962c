import { currentPath, lastExchange, withBranch } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { versionsOf } from '../state/versions.ts';
import { refuse, say, step, type Step } from './step.ts';

/** A version of the last turn, counted from 1; next and previous wrap around. */
export type Wanted = 'next' | 'previous' | number;

function indexOf(wanted: Wanted, index: number, count: number): number {
  if (wanted === 'next') return (index + 1) % count;
  if (wanted === 'previous') return (index + count - 1) % count;
  return wanted - 1;
}

/** Switches to another version of the last prompt or answer. */
export function switchVersion(state: ReplState, wanted: Wanted): Step {
  const { conversation } = state;
  // While a prompt is being edited, its old version is still the current one.
  const branch = state.branch?.reason === 'edit' ? undefined : state.branch;
  const exchange = lastExchange(currentPath(conversation, branch));
  if (exchange === undefined) {
    return refuse(state, 'there is no prompt yet', 'type one and press Enter');
  }
  const { ends, index } = versionsOf(conversation, exchange);
  if (ends.length < 2) {
    return refuse(state, 'the last turn has only one version', '/retry or /edit adds one');
  }
  const chosen = ends[indexOf(wanted, index, ends.length)];
  if (chosen === undefined) return refuse(state, `there are versions 1 to ${ends.length}`);
  if (chosen === ends[index]) return say(state, `this is version ${wanted} of ${ends.length}`);
  const next = state.branch?.reason === 'undo' ? withBranch(state, undefined) : state;
  return step(next, { type: 'choose', turnId: chosen.id });
}
