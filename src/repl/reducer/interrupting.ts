import { withoutReopened } from '../state/attachments.ts';
import { isEmpty } from '../editing/text-buffer.ts';
import type { ReplState } from '../state/state.ts';
import { interruptDialog } from './dialog-answers.ts';
import { leave, printNotice, step, type Step } from './step.ts';
import { clearDraft } from './submitting.ts';

/** Stops the answer or task, if any. */
export function stop(state: ReplState): Step {
  const { activity } = state;
  if (activity === undefined) return step(state);
  return step({ ...state, activity: { ...activity, isStopping: true } }, { type: 'stop' });
}

function cancelEdit(state: ReplState): Step {
  return printNotice(withoutReopened(state), 'edit cancelled; the prompt is unchanged');
}

/** Ctrl-C: closes a menu or dialog, else stops the answer, else moves the draft to the history, else leaves on the second press. */
export function interrupt(state: ReplState): Step {
  if (state.dialog !== undefined) return interruptDialog(state, state.dialog);
  if (state.search !== undefined) return step({ ...state, search: undefined });
  if (state.completion !== undefined) return step({ ...state, completion: undefined });
  if (state.activity !== undefined && !state.activity.isStopping) return stop(state);
  if (!isEmpty(state.composer)) {
    const cleared = clearDraft(state);
    return { ...cleared, state: { ...cleared.state, isLeaveArmed: true } };
  }
  if (state.branch?.reason === 'edit') return cancelEdit(state);
  if (state.isLeaveArmed) return leave(state);
  return step({ ...state, isLeaveArmed: true });
}
