import { contextFit, contextWindow, largerModel } from '../../conversation/context-fit.ts';
import { percent } from '../../output/figures.ts';
import { notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';
import { shortCount } from '../text/status-text.ts';
import { printing, step, type Step } from './step.ts';

/** Whether the conversation has filled 80% of the window. */
export function isNearlyFull({ settings, context, service }: ReplState): boolean {
  return contextFit(settings.model, context.tokens, service.windows).state !== 'fits';
}

function otherRemedy({ settings, service: { windows } }: ReplState): string {
  const larger = largerModel(contextWindow(settings.model, windows) ?? 0, windows);
  return larger === undefined
    ? '/new starts an empty conversation'
    : `/model ${larger} has a window of ${shortCount(contextWindow(larger, windows) ?? 0)}`;
}

function report(state: ReplState, isStillFull: boolean, remedy: string): Step {
  const { settings, context, service } = state;
  const window = contextWindow(settings.model, service.windows) ?? 0;
  const verb = isStillFull ? 'is still used' : 'is used';
  const text = `${percent(context.tokens, window)} of ${settings.model}'s window ${verb} (${shortCount(context.tokens)} of ${shortCount(window)}); ${remedy}`;
  return step({ ...state, hasOfferedModel: true }, printing(notice(text)));
}

/** Reports at 80% of the window what helps, and again if the use falls below that and rises again. */
export function offerRemedies(state: ReplState): Step {
  if (!isNearlyFull(state)) return step({ ...state, hasOfferedModel: false });
  const { isAutomatic, hasFailed } = state.compaction;
  const isHandled = isAutomatic && !hasFailed;
  if (state.hasOfferedModel || isHandled) return step(state);
  const remedy = `/compact replaces the older turns with a summary, ${otherRemedy(state)}`;
  return report(state, false, remedy);
}

/** Reports that a summary did not help enough; the next one is made only on request. */
export function reviewSummary(state: ReplState): Step {
  if (!isNearlyFull(state)) return step(state);
  const compaction = { ...state.compaction, hasFailed: true };
  return report({ ...state, compaction }, true, otherRemedy(state));
}
