import { argumentKind, commandCandidates, findCommand } from './commands.ts';
import {
  applyCandidate,
  extendTyped,
  findCompletion,
  matchCandidates,
  type Candidate,
  type CompletionRequest,
} from './composer/completion.ts';
import { type KeyAction, keyOf } from './composer/keys/key-bindings.ts';
import { pathsInFolder } from './files/find-paths.ts';
import { isCurrent, onPickerAction, pickAgain } from './files/picking.ts';
import { listPromptFiles, valueCandidates } from './prompt-files/send-prompt-file.ts';
import type { Repl, Session } from './session.ts';
import type { CompletionMenu, ReplState, Step } from './state.ts';
import { step, withKeysReleased, task } from './step.ts';

// The menu that opens while a command is typed. It leaves keys to the composer whose effect people expect there.

/** Opens, updates or closes the menu for the text at the caret. */
function withCommandMenu(state: ReplState): ReplState {
  const request = findCompletion(state.composer, argumentKind);
  const isLast = request?.to === state.composer.text.length;
  if (request?.kind !== 'command' || !isLast) {
    return { ...state, completion: undefined, isMenuDismissed: false };
  }
  const { typed } = request;
  if (state.isMenuDismissed === true && typed !== '') return { ...state, completion: undefined };
  const candidates = matchCandidates(request, commandCandidates(state, typed));
  const exact = candidates.findIndex(({ value }) => value === typed);
  const menu = { request, candidates, selected: Math.max(0, exact), isAutomatic: true };
  const completion = candidates.length === 0 ? undefined : menu;
  return { ...state, completion, isMenuDismissed: false };
}

/** Whether a slash and a name are typed that no command has. */
export function namesNoCommand(state: ReplState): boolean {
  const request = findCompletion(state.composer, argumentKind);
  if (request?.kind !== 'command' || /[/.]/.test(request.typed)) return false;
  return matchCandidates(request, commandCandidates(state, request.typed)).length === 0;
}

/** The keys of the menu that opened while a command was typed; undefined if it is not open. */
export function menuKeysText({ completion, activity, keyMap }: ReplState): string | undefined {
  if (completion?.isAutomatic !== true) return undefined;
  const keys = [
    [keyOf('completion-tab', keyMap), 'completes'],
    [keyOf('completion-next', keyMap), 'selects'],
    [activity === undefined ? keyOf('completion-close', keyMap) : undefined, 'closes'],
  ];
  return keys.flatMap(([key, does]) => (key === undefined ? [] : [`${key} ${does}`])).join(', ');
}

function acceptSelected(state: ReplState, menu: CompletionMenu): ReplState {
  const candidate = menu.candidates[menu.selected];
  if (candidate === undefined) return state;
  const composer = applyCandidate(state.composer, menu.request, candidate);
  return { ...state, composer, completion: undefined };
}

/** Completes what the matching commands have in common, else accepts the selected one. */
function completeCommand(state: ReplState, menu: CompletionMenu): ReplState {
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

/** @throws Failure if the conversations cannot be read */
export function candidatesFor(
  repl: Repl,
  state: ReplState,
  request: CompletionRequest,
): readonly Candidate[] {
  if (request.kind === 'command') return commandCandidates(state, request.typed);
  if (request.kind !== 'argument') return pathsInFolder(repl.files, request);
  const completes = findCommand(request.command ?? '')?.completes;
  return typeof completes === 'function' ? completes(repl, state) : [];
}

/** The values of a prompt file; lists prompt files again for their names. */
async function promptFileCandidates(
  session: Session,
  { kind, command = '' }: CompletionRequest,
): Promise<readonly Candidate[] | undefined> {
  if (kind === 'command') await listPromptFiles(session);
  if (kind !== 'argument' || findCommand(command) !== undefined) return undefined;
  return valueCandidates(session, command);
}

export async function findCandidates(session: Session, request: CompletionRequest): Promise<void> {
  const found = await promptFileCandidates(session, request);
  const candidates = found ?? candidatesFor(session, session.state(), request);
  session.update((state) => onCandidates(state, request, candidates));
}

/** Looks up completions at the caret; later keys wait for the result. */
export function startCompletion(state: ReplState): Step {
  const request = findCompletion(state.composer, argumentKind);
  if (request === undefined) return step({ ...state, completion: undefined });
  const next: ReplState = { ...state, typeAhead: { until: 'candidates', keys: [] } };
  return step(next, task(findCandidates, request, withKeysReleased));
}

/** Updates the open menu, or opens that of commands. */
export function refreshCompletion(state: ReplState): Step {
  if (state.isPicking === true) return pickAgain(state);
  const { completion } = state;
  const isOpened = completion !== undefined && completion.isAutomatic !== true;
  return isOpened ? startCompletion(state) : step(withCommandMenu(state));
}

/** Accepts a single candidate; of several, completes the common prefix and opens the menu. */
export function onCandidates(
  before: ReplState,
  request: CompletionRequest,
  found: readonly Candidate[],
): Step {
  const state = withKeysReleased(before);
  if (!isCurrent(state.composer, request)) return step(state);
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
