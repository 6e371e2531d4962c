import { argumentKind, commandCandidates, commandsByName } from './commands.ts';
import {
  applyCandidate,
  extendTyped,
  findCompletion,
  matchCandidates,
  type Candidate,
  type CompletionRequest,
} from './composer/completion.ts';
import { type KeyAction, keyOf } from './composer/keys/key-bindings.ts';
import type { Draft } from './composer/text-buffer.ts';
import { findFiles, pathsInFolder } from './files/user-files.ts';
import { listPromptFiles, valueCandidates } from './prompt-files/send-prompt-file.ts';
import type { Repl, Session } from './session.ts';
import type { CompletionMenu, ReplState, Update } from './state.ts';
import { step, withKeysReleased, task } from './step.ts';

// The menu of candidates for the text at the caret: it opens while a command or a mention is typed, and with Tab. It
// leaves keys to the composer whose effect people expect there.

/** The text at the caret that can be completed, if any. */
export const requestAt = (draft: Draft) => findCompletion(draft, argumentKind);

/** The mention at the caret; undefined in commands. */
export function mentionAt(composer: Draft): CompletionRequest | undefined {
  const request = /^[/!]/.test(composer.text) ? undefined : requestAt(composer);
  return request?.kind === 'mention' ? request : undefined;
}

/** Whether the text to complete is still that of the request. */
function isCurrent({ composer }: ReplState, { from, to, typed }: CompletionRequest): boolean {
  const current = requestAt(composer);
  return current?.from === from && current.to === to && current.typed === typed;
}

export const withMenuClosed = (state: ReplState): ReplState => ({
  ...state,
  completion: undefined,
  isPicking: false,
});

const matchingCommands = (state: ReplState, request: CompletionRequest) =>
  matchCandidates(request, commandCandidates(state, request.typed));

/** Opens, updates or closes the menu for the text at the caret. */
function withCommandMenu(before: ReplState): ReplState {
  const request = requestAt(before.composer);
  const isLast = request?.to === before.composer.text.length;
  const closed = { ...before, completion: undefined };
  if (request?.kind !== 'command' || !isLast) return { ...closed, isMenuDismissed: false };
  const { typed } = request;
  if (before.isMenuDismissed === true && typed !== '') return closed;
  const state = { ...closed, isMenuDismissed: false };
  const candidates = matchingCommands(state, request);
  if (candidates.length === 0) return state;
  const exact = candidates.findIndex(({ value }) => value === typed);
  const selected = Math.max(0, exact);
  return { ...state, completion: { request, candidates, selected, source: 'commands' } };
}

/** Whether a slash and a name are typed that no command has. Once the line was refused, the transcript says so. */
export function namesNoCommand(state: ReplState): boolean {
  if (state.composer.text === state.restoredText) return false;
  const request = requestAt(state.composer);
  if (request?.kind !== 'command' || /[/.]/.test(request.typed)) return false;
  return matchingCommands(state, request).length === 0;
}

/** The keys of the menu that opened while a command was typed; undefined if it is not open. */
export function menuKeysText({ completion, activity, keyMap }: ReplState): string | undefined {
  if (completion?.source !== 'commands') return undefined;
  const keys = [
    [keyOf('completion-tab', keyMap), 'completes'],
    [keyOf('completion-next', keyMap), 'selects'],
    [activity === undefined ? keyOf('completion-close', keyMap) : undefined, 'closes'],
  ];
  return keys.flatMap(([key, does]) => (key === undefined ? [] : [`${key} ${does}`])).join(', ');
}

/** Accepts the selected candidate; in a folder, the file picker continues. */
function accept(state: ReplState, menu: CompletionMenu): Update {
  const candidate = menu.candidates[menu.selected];
  if (candidate === undefined) return step(state);
  const composer = applyCandidate(state.composer, menu.request, candidate);
  const next = { ...withMenuClosed(state), composer };
  const isInside = menu.source === 'files' && candidate.isFolder === true;
  return isInside ? pickAgain({ ...next, isPicking: true }) : step(next);
}

/** Completes what the matching commands have in common, else accepts the selected one. */
function completeCommand(state: ReplState, menu: CompletionMenu): Update {
  const { request, candidates, isTouched } = menu;
  const matching = candidates.filter(({ value }) => value.startsWith(request.typed));
  const composer = extendTyped(state.composer, request, matching);
  const isExtended = matching.length > 1 && composer !== state.composer;
  if (isTouched === true || !isExtended) return accept(state, menu);
  return step(withCommandMenu({ ...state, composer }));
}

/** Whether the typed folder itself is selected. */
const isTypedFolder = ({ request, candidates, selected }: CompletionMenu) =>
  candidates[selected]?.value === request.typed.slice(0, -1);

/**
 * Whether the open menu gets the key. Of files: not while they are for an older text, and Enter sends a path that is
 * typed in full. Of commands, before one is selected with a key: Up browses the history, and Enter sends a complete
 * command, and a text that no candidate starts with; Esc stops an answer first.
 */
export function isForMenu(state: ReplState, action: KeyAction): boolean {
  const { completion: menu, activity } = state;
  if (menu === undefined) return true;
  const { source, candidates, selected, request } = menu;
  const { typed } = request;
  if (source === 'files') {
    const isTyped = candidates[selected]?.value === typed || isTypedFolder(menu);
    return isCurrent(state, request) && !(action === 'completion-accept' && isTyped);
  }
  if (source === 'tab' || menu.isTouched === true) return true;
  const isWhole = candidates.some(({ value }) => value === typed);
  const isStart = candidates[0]?.value.toLowerCase().startsWith(typed.toLowerCase()) === true;
  if (action === 'completion-accept') return isStart && !isWhole;
  if (action === 'completion-close') return activity === undefined || activity.isStopping;
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
  const completes = commandsByName.get(request.command ?? '')?.completes;
  return typeof completes === 'function' ? completes(repl, state) : [];
}

export async function findCandidates(session: Session, request: CompletionRequest): Promise<void> {
  const { kind, command = '' } = request;
  if (kind === 'command') await listPromptFiles(session);
  const isPromptFile = kind === 'argument' && !commandsByName.has(command);
  const candidates = isPromptFile
    ? await valueCandidates(session, command)
    : candidatesFor(session, session.state(), request);
  session.update((state) => onCandidates(state, request, candidates));
}

/** Looks up completions at the caret; later keys wait for the result. */
export function startCompletion(state: ReplState): Update {
  const request = requestAt(state.composer);
  if (request === undefined) return step({ ...state, completion: undefined });
  const next: ReplState = { ...state, typeAhead: { keys: [] } };
  return step(next, task(findCandidates, request, withKeysReleased));
}

export async function pickFiles(session: Session, request: CompletionRequest): Promise<void> {
  // Meanwhile more may be typed, for which this runs again.
  const isWanted = () => isCurrent(session.state(), request);
  const { candidates, isPartial } = await findFiles(session.files, request, isWanted);
  session.update((state) => onFilesPicked(state, request, candidates, isPartial));
}

/** Looks for the files of the mention at the caret; the open menu stays until they are found. */
export function pickAgain(state: ReplState): Update {
  const request = mentionAt(state.composer);
  if (request === undefined) return step(withMenuClosed(state));
  return step(state, task(pickFiles, request));
}

/** Updates the open menu, or opens that of commands. */
export function refreshCompletion(state: ReplState): Update {
  if (state.isPicking === true) return pickAgain(state);
  return state.completion?.source === 'tab' ? startCompletion(state) : step(withCommandMenu(state));
}

/** Accepts a single candidate; of several, completes the common prefix and opens the menu. */
export function onCandidates(
  before: ReplState,
  request: CompletionRequest,
  found: readonly Candidate[],
): Update {
  const state = withKeysReleased(before);
  if (!isCurrent(state, request)) return step(state);
  const candidates = matchCandidates(request, found);
  if (candidates.length === 0) return step({ ...state, completion: undefined });
  const menu = { source: 'tab', request, candidates, selected: 0 } as const;
  const isOpen = state.completion !== undefined;
  if (candidates.length === 1 && !isOpen) return accept(state, menu);
  const composer = isOpen ? state.composer : extendTyped(state.composer, request, candidates);
  const current = requestAt(composer) ?? request;
  return step({ ...state, composer, completion: { ...menu, request: current } });
}

/** Puts the typed folder first, which Enter sends; not `~/`, `../` and `/`, which are too large to be meant. */
function withTypedFolder(
  { typed }: CompletionRequest,
  found: readonly Candidate[],
): readonly Candidate[] {
  const isFolder = /[^~./\\][/\\]$/.test(typed) && found[0]?.value.startsWith(typed) === true;
  return isFolder ? [{ value: typed.slice(0, -1), isFolder }, ...found] : found;
}

export function onFilesPicked(
  state: ReplState,
  request: CompletionRequest,
  found: readonly Candidate[],
  isPartial: boolean,
): Update {
  if (state.isPicking !== true || !isCurrent(state, request)) return step(state);
  const candidates = withTypedFolder(request, found);
  const settled = { ...state, acceptsFound: false };
  if (candidates.length === 0) return step({ ...settled, completion: undefined });
  const completion = { source: 'files', request, candidates, selected: 0, isPartial } as const;
  const open = { ...settled, completion };
  return state.acceptsFound === true ? complete(open, completion) : step(open);
}

function moveSelection(state: ReplState, menu: CompletionMenu, by: number): Update {
  const { length } = menu.candidates;
  const selected = (menu.selected + by + length) % length;
  return step({ ...state, completion: { ...menu, selected, isTouched: true } });
}

/** Tab in the open menu: in a menu that it opened, and on a typed folder, it selects the next candidate. */
function complete(state: ReplState, menu: CompletionMenu): Update {
  if (menu.source === 'commands') return completeCommand(state, menu);
  const accepts = menu.source === 'files' && !isTypedFolder(menu);
  return accepts ? accept(state, menu) : moveSelection(state, menu, 1);
}

/** Handles a key in an open menu; undefined if the key does not belong to the menu. */
export function onMenuAction(state: ReplState, action: KeyAction): Update | undefined {
  const { completion: menu } = state;
  if (menu === undefined) return undefined;
  if (action === 'completion-tab') return complete(state, menu);
  if (action === 'completion-next') return moveSelection(state, menu, 1);
  if (action === 'completion-previous') return moveSelection(state, menu, -1);
  if (action === 'completion-accept') return accept(state, menu);
  if (action !== 'completion-close') return undefined;
  return step({ ...withMenuClosed(state), isMenuDismissed: menu.source === 'commands' });
}
