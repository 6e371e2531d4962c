// The menu that opens while a command is typed. It leaves keys to the composer whose effect people expect there.
import {
  applyCandidate,
  extendTyped,
  findCompletion,
  matchCandidates,
} from '../composer/completion.ts';
import type { KeyAction } from '../composer/keys/key-bindings.ts';
import { argumentKind, commandCandidates } from '../slash-commands/table.ts';
import type { CompletionMenu, ReplState } from '../state/state.ts';

/** Opens, updates or closes the menu for the text at the caret. */
export function withCommandMenu(state: ReplState): ReplState {
  const request = findCompletion(state.composer, argumentKind);
  const isLast = request?.to === state.composer.text.length;
  if (request?.kind !== 'command' || !isLast) {
    return { ...state, completion: undefined, isMenuDismissed: false };
  }
  const { typed } = request;
  if (state.isMenuDismissed === true && typed !== '') return { ...state, completion: undefined };
  const candidates = matchCandidates(request, commandCandidates(state));
  const exact = candidates.findIndex(({ value }) => value === typed);
  const menu = { request, candidates, selected: Math.max(0, exact), isAutomatic: true };
  const completion = candidates.length === 0 ? undefined : menu;
  return { ...state, completion, isMenuDismissed: false };
}

export function acceptSelected(state: ReplState, menu: CompletionMenu): ReplState {
  const candidate = menu.candidates[menu.selected];
  if (candidate === undefined) return state;
  const composer = applyCandidate(state.composer, menu.request, candidate);
  return { ...state, composer, completion: undefined };
}

/** Completes what the matching commands have in common, else accepts the selected one. */
export function completeCommand(state: ReplState, menu: CompletionMenu): ReplState {
  const { request, candidates, isTouched } = menu;
  const matching = candidates.filter(({ value }) => value.startsWith(request.typed));
  const composer = extendTyped(state.composer, request, matching);
  const isExtended = matching.length > 1 && composer !== state.composer;
  if (isTouched === true || !isExtended) return acceptSelected(state, menu);
  return withCommandMenu({ ...state, composer });
}

/**
 * Whether the open menu gets the key. Before a candidate is selected with a key, Up browses the history, and Enter sends
 * a complete command, and a text that no candidate starts with; Esc stops an answer first.
 */
export function isForMenu({ completion, activity }: ReplState, action: KeyAction): boolean {
  if (completion?.isAutomatic !== true || completion.isTouched === true) return true;
  const { candidates, request } = completion;
  const { typed } = request;
  const isWhole = candidates.some(({ value }) => value === typed);
  const isStart = candidates[0]?.value.toLowerCase().startsWith(typed.toLowerCase()) === true;
  const isIdle = activity === undefined || activity.isStopping;
  if (action === 'completion-accept') return isStart && !isWhole;
  if (action === 'completion-close') return isIdle;
  return action !== 'completion-previous';
}
