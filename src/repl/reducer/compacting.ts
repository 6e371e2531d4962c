import { summaryOf, type Summary } from '../../conversation/tree.ts';
import type { Action } from '../state/action.ts';
import { conversationOf, currentPath } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { isNearlyFull } from './full-window.ts';
import { newAnswer, printing, refuse, startTask, step, type Step } from './step.ts';
import { notice } from '../state/entry.ts';

/** Asks for a summary of the older turns; the `compaction-ended` action ends it. */
export function compact(state: ReplState, wanted: string): Step {
  const { settings } = state;
  const activity = { ...newAnswer(state, settings.model), isSummary: true };
  return step({ ...state, activity }, { type: 'compact', wanted, settings });
}

/** Compacts after an answer, if the setting asks for it and the last attempt did not fail. */
export function compactIfNeeded(state: ReplState): Step {
  const { isAutomatic, hasFailed } = state.compaction;
  if (!isAutomatic || hasFailed || !isNearlyFull(state)) return step(state);
  if (currentPath(state.conversation, state.branch).length === 0) return step(state);
  return compact(state, '');
}

/** `conversation` has the new summary, if there is one; a compaction without one changed nothing. */
export function withCompaction(
  state: ReplState,
  { result, usage }: Pick<Action & { readonly type: 'compaction-ended' }, 'result' | 'usage'>,
): ReplState {
  if (result === 'refused') return { ...state, activity: undefined };
  const used = state.usage;
  const hasFailed = result === 'failed';
  return {
    ...state,
    activity: undefined,
    isQueuePaused: hasFailed ? state.queue.length > 0 : state.isQueuePaused,
    compaction: { ...state.compaction, hasFailed },
    usage: {
      ...used,
      promptTokens: used.promptTokens + (usage?.promptTokens ?? 0),
      completionTokens: used.completionTokens + (usage?.completionTokens ?? 0),
    },
  };
}

/** The summary in force if nothing was sent since it was made. */
function lastSummary(state: ReplState): Summary | undefined {
  const summary = summaryOf(conversationOf(state));
  const last = currentPath(state.conversation, state.branch).at(-1);
  return summary !== undefined && summary.after === last?.id ? summary : undefined;
}

const removed = 'the summary is removed; the earlier turns are sent again';

/** Removes the summary, if that was the last change of the conversation. */
export function undoSummary(state: ReplState): Step | undefined {
  const summary = lastSummary(state);
  if (summary === undefined) return undefined;
  return step(state, { type: 'remove-summary', turnId: summary.turn }, printing(notice(removed)));
}

/** What the window holds, drawn. */
export function showContext(state: ReplState, argument: string): Step {
  if (argument !== '' && argument !== 'summary') {
    return refuse(state, '/context takes only the word summary', '/context summary');
  }
  const shows = argument === '' ? 'window' : 'summary';
  return startTask(state, 'measuring the window', { type: 'show-context', shows });
}
