import type { CompletionMenu, ReplState } from '../state/state.ts';
import type { Candidate, CompletionRequest } from '../editing/completion.ts';
import {
  applyCandidate,
  commonPrefix,
  findCompletion,
  matchCandidates,
} from '../editing/completion.ts';
import type { KeyAction } from '../editing/keys/key-bindings.ts';
import { replaceRange } from '../editing/text-buffer.ts';
import { argumentKind } from '../slash-commands/table.ts';
import { type Step, step } from './step.ts';

/** Looks up completions at the caret; later keys wait for the result. */
export function startCompletion(state: ReplState): Step {
  const request = findCompletion(state.composer, argumentKind);
  if (request === undefined) return step({ ...state, completion: undefined });
  const next: ReplState = { ...state, typeAhead: { until: 'candidates', keys: [] } };
  return step(next, { type: 'find-candidates', request });
}

/** Looks completions up again while the menu is open. */
export function refreshCompletion(state: ReplState): Step {
  return state.completion === undefined ? step(state) : startCompletion(state);
}

function isCurrent(state: ReplState, request: CompletionRequest): boolean {
  const current = findCompletion(state.composer, argumentKind);
  if (current === undefined) return false;
  const { from, to, typed } = request;
  return current.from === from && current.to === to && current.typed === typed;
}

function accept(state: ReplState, request: CompletionRequest, candidate: Candidate): ReplState {
  const composer = applyCandidate(state.composer, request, candidate);
  return { ...state, composer, completion: undefined };
}

function extend(state: ReplState, { to, typed }: CompletionRequest, prefix: string): ReplState {
  if (prefix.length <= typed.length || !prefix.startsWith(typed)) return state;
  return { ...state, composer: replaceRange(state.composer, to - typed.length, to, prefix) };
}

/** Accepts a single candidate; of several, completes the common prefix and opens the menu. */
export function onCandidates(
  state: ReplState,
  request: CompletionRequest,
  found: readonly Candidate[],
): Step {
  if (!isCurrent(state, request)) return step(state);
  const candidates = matchCandidates(request, found);
  const [only, second] = candidates;
  if (only === undefined) return step({ ...state, completion: undefined });
  const isOpen = state.completion !== undefined;
  if (second === undefined && !isOpen) return step(accept(state, request, only));
  const next = isOpen ? state : extend(state, request, commonPrefix(candidates));
  const current = findCompletion(next.composer, argumentKind) ?? request;
  return step({ ...next, completion: { request: current, candidates, selected: 0 } });
}

function moveSelection(state: ReplState, menu: CompletionMenu, by: number): ReplState {
  const { length } = menu.candidates;
  const selected = (menu.selected + by + length) % length;
  return { ...state, completion: { ...menu, selected } };
}

function acceptSelected(state: ReplState, menu: CompletionMenu): ReplState {
  const candidate = menu.candidates[menu.selected];
  return candidate === undefined ? state : accept(state, menu.request, candidate);
}

const menuActions: Partial<
  Record<KeyAction, (state: ReplState, menu: CompletionMenu) => ReplState>
> = {
  'completion-next': (state, menu) => moveSelection(state, menu, 1),
  'completion-previous': (state, menu) => moveSelection(state, menu, -1),
  'completion-close': (state) => ({ ...state, completion: undefined }),
  'completion-accept': acceptSelected,
};

/** Handles a key in an open menu; undefined if the key does not belong to the menu. */
export function onMenuAction(state: ReplState, action: KeyAction): Step | undefined {
  const act = menuActions[action];
  return state.completion && act && step(act(state, state.completion));
}
