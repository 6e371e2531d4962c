import type { CompletionMenu, ReplState } from '../state/state.ts';
import type { Candidate, CompletionRequest } from '../composer/completion.ts';
import { extendTyped, findCompletion, matchCandidates } from '../composer/completion.ts';
import type { KeyAction } from '../composer/keys/key-bindings.ts';
import { acceptSelected, completeCommand, withCommandMenu } from './command-menu.ts';
import { argumentKind } from '../slash-commands/table.ts';
import { onPickerAction, pickAgain } from './picking.ts';
import { type Step, step } from './step.ts';

/** Looks up completions at the caret; later keys wait for the result. */
export function startCompletion(state: ReplState): Step {
  const request = findCompletion(state.composer, argumentKind);
  if (request === undefined) return step({ ...state, completion: undefined });
  const next: ReplState = { ...state, typeAhead: { until: 'candidates', keys: [] } };
  return step(next, { type: 'find-candidates', request });
}

/** Updates the open menu, or opens that of commands. */
export function refreshCompletion(state: ReplState): Step {
  if (state.isPicking === true) return pickAgain(state);
  const { completion } = state;
  const isOpened = completion !== undefined && completion.isAutomatic !== true;
  return isOpened ? startCompletion(state) : step(withCommandMenu(state));
}

function isCurrent(state: ReplState, request: CompletionRequest): boolean {
  const current = findCompletion(state.composer, argumentKind);
  if (current === undefined) return false;
  const { from, to, typed } = request;
  return current.from === from && current.to === to && current.typed === typed;
}

/** Accepts a single candidate; of several, completes the common prefix and opens the menu. */
export function onCandidates(
  state: ReplState,
  request: CompletionRequest,
  found: readonly Candidate[],
): Step {
  if (!isCurrent(state, request)) return step(state);
  const candidates = matchCandidates(request, found);
  if (candidates.length === 0) return step({ ...state, completion: undefined });
  const isOpen = state.completion !== undefined;
  if (candidates.length === 1 && !isOpen) {
    return step(acceptSelected(state, { request, candidates, selected: 0 }));
  }
  const composer = isOpen ? state.composer : extendTyped(state.composer, request, candidates);
  const current = findCompletion(composer, argumentKind) ?? request;
  return step({ ...state, composer, completion: { request: current, candidates, selected: 0 } });
}

function moveSelection(state: ReplState, menu: CompletionMenu, by: number): ReplState {
  const { length } = menu.candidates;
  const selected = (menu.selected + by + length) % length;
  return { ...state, completion: { ...menu, selected, isTouched: true } };
}

const menuActions: Partial<
  Record<KeyAction, (state: ReplState, menu: CompletionMenu) => ReplState>
> = {
  'completion-tab': (state, menu) =>
    menu.isAutomatic === true ? completeCommand(state, menu) : moveSelection(state, menu, 1),
  'completion-next': (state, menu) => moveSelection(state, menu, 1),
  'completion-previous': (state, menu) => moveSelection(state, menu, -1),
  'completion-close': (state, { isAutomatic = false }) => ({
    ...state,
    completion: undefined,
    isMenuDismissed: isAutomatic,
  }),
  'completion-accept': acceptSelected,
};

/** Handles a key in an open menu; undefined if the key does not belong to the menu. */
export function onMenuAction(state: ReplState, action: KeyAction): Step | undefined {
  if (state.isPicking === true && state.completion !== undefined) {
    const picked = onPickerAction(state, state.completion, action);
    if (picked !== undefined) return picked;
  }
  const act = menuActions[action];
  return state.completion && act && step(act(state, state.completion));
}
