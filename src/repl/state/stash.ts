import { isEmpty, withDraft } from '../composer/text-buffer.ts';
import type { ReplState } from './state.ts';

/** Restores the draft that was stashed last to an empty composer. */
export function withStashedDraft(state: ReplState): ReplState {
  const { stash = [], composer } = state;
  const last = stash.at(-1);
  if (last === undefined || !isEmpty(composer)) return state;
  return { ...state, stash: stash.slice(0, -1), composer: withDraft(composer, last) };
}
