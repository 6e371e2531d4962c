import { isEmpty } from '../editing/text-buffer.ts';
import { withStashedDraft } from '../state/stash.ts';
import type { ReplState } from '../state/state.ts';
import { type Step, step } from './step.ts';
import { clearDraft, unsentDraft } from './submitting.ts';

/** Puts the draft aside; it is in the history, too, so that no crash loses it. On an empty composer, restores it. */
export function stashDraft(state: ReplState): Step {
  if (isEmpty(state.composer)) return step(withStashedDraft(state));
  const draft = unsentDraft(state);
  const cleared = clearDraft(state);
  const { stash = [] } = state;
  return { ...cleared, state: { ...cleared.state, stash: [...stash, draft] } };
}
