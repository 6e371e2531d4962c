import { argumentKind } from '../commands.ts';
import {
  applyCandidate,
  type Candidate,
  type CompletionRequest,
  findCompletion,
} from '../composer/completion.ts';
import type { KeyAction } from '../composer/keys/key-bindings.ts';
import { type Draft, moveTo, replaceRange, type TextBuffer } from '../composer/text-buffer.ts';
import type { Session } from '../session.ts';
import type { CompletionMenu, ReplState, Step, Task } from '../state.ts';
import { step, task } from '../step.ts';
import { findFiles, mentionsOfPaths } from './find-paths.ts';

/** The mention at the caret; undefined in commands. */
export function mentionAt(composer: Draft): CompletionRequest | undefined {
  if (/^[/!]/.test(composer.text)) return undefined;
  const request = findCompletion(composer, argumentKind);
  return request?.kind === 'mention' ? request : undefined;
}

/** Whether the text to complete is still that of the request. */
export function isCurrent(composer: Draft, { from, to, typed }: CompletionRequest): boolean {
  const current = findCompletion(composer, argumentKind);
  return current?.from === from && current.to === to && current.typed === typed;
}

/** Whether typing this text opens the file picker. */
export function opensPicker(composer: Draft, text: string): boolean {
  return text.includes('@') && mentionAt(composer) !== undefined;
}

/** Finds the files of a mention. */
export async function pickFiles(session: Session, request: CompletionRequest): Promise<void> {
  // Meanwhile more may be typed, for which this runs again.
  const isWanted = () => session.state().composer.cursor === request.to;
  const found = await findFiles(session.files, request, isWanted);
  if (found === undefined) return;
  const { candidates, isPartial } = found;
  session.update((state) => onFilesPicked(state, request, candidates, isPartial));
}

/** Looks for the files of the mention at the caret; the open menu stays until they are found. */
export function pickAgain(state: ReplState): Step {
  const request = mentionAt(state.composer);
  if (request === undefined) return step({ ...state, isPicking: false, completion: undefined });
  return step(state, task(pickFiles, request));
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
): Step {
  if (state.isPicking !== true || !isCurrent(state.composer, request)) return step(state);
  const candidates = withTypedFolder(request, found);
  const settled = { ...state, acceptsFound: false };
  if (candidates.length === 0) return step({ ...settled, completion: undefined });
  const completion = { request, candidates, selected: 0, isPartial };
  const open = { ...settled, completion };
  if (state.acceptsFound !== true) return step(open);
  const next = { ...completion, selected: candidates.length > 1 ? 1 : 0, isTouched: true };
  return onPickerAction(open, completion, 'completion-tab') ?? step({ ...open, completion: next });
}

/** Accepts the selected file; in a folder, the picker continues. */
function accept(state: ReplState, { request, candidates, selected }: CompletionMenu): Step {
  const candidate = candidates[selected];
  if (candidate === undefined) return step(state);
  const isPicking = candidate.isFolder === true;
  const composer = applyCandidate(state.composer, request, candidate);
  const next = { ...state, composer, completion: undefined, isPicking };
  return isPicking ? pickAgain(next) : step(next);
}

/** Whether the typed folder itself is selected. */
const isTypedFolder = ({ request, candidates, selected }: CompletionMenu) =>
  candidates[selected]?.value === request.typed.slice(0, -1);

/** Handles the keys of the open picker that differ from those of other menus. */
export function onPickerAction(
  state: ReplState,
  menu: CompletionMenu,
  action: KeyAction,
): Step | undefined {
  if (action === 'completion-tab' && isTypedFolder(menu)) return undefined;
  if (action === 'completion-accept' || action === 'completion-tab') return accept(state, menu);
  if (action !== 'completion-close') return undefined;
  return step({ ...state, completion: undefined, isPicking: false });
}

/**
 * Whether the open picker gets the key: not while its menu is about an older text, and Enter sends a path that is typed
 * in full.
 */
export function isForPicker({ isPicking, completion, composer }: ReplState, action: KeyAction) {
  if (isPicking !== true || completion === undefined) return true;
  const { candidates, selected, request } = completion;
  const isTyped = candidates[selected]?.value === request.typed || isTypedFolder(completion);
  return isCurrent(composer, request) && !(action === 'completion-accept' && isTyped);
}

/** The start of an absolute path or of its URL, in quotes or not. */
const pathStart = /^\s*["']?(?:\/(?!\/)|~\/|[a-z]:[\\/]|file:\/\/)/i;

/** A longer paste is not a list of dropped files. */
const maxLength = 10_000;

/** Whether a text that is inserted at the caret may be a dropped file; never in commands and within words. */
export function mayBeDropped({ text, cursor }: Draft, inserted: string): boolean {
  const isApart = cursor === 0 || /\s/.test(text.charAt(cursor - 1));
  const isPossible = isApart && inserted.length <= maxLength && pathStart.test(inserted);
  return isPossible && !/^[/!]/.test(text);
}

/** Turns a paste that is only paths of existing files into mentions; `inserted` is its part of the draft. */
export function recognisePaths(
  session: Session,
  { from, inserted, text }: Readonly<{ from: number; inserted: string; text: string }>,
): void {
  const mentions = mentionsOfPaths(session.files, text);
  if (mentions !== undefined) {
    session.update((state) => onPathsRecognised(state, from, inserted, mentions));
  }
}

/** The check of a paste that may be a dropped file. */
export function dropCheck(before: TextBuffer, after: TextBuffer, text: string): readonly Task[] {
  const { cursor: from } = before;
  if (!mayBeDropped(before, text)) return [];
  const inserted = after.text.slice(from, after.cursor);
  return [task(recognisePaths, { from, inserted, text })];
}

/** Replaces pasted paths by mentions, unless the text has changed; undo brings the paths back. */
export function onPathsRecognised(
  state: ReplState,
  from: number,
  inserted: string,
  mentions: string,
): Step {
  const { composer } = state;
  const end = from + inserted.length;
  if (composer.text.slice(from, end) !== inserted) return step(state);
  const hasBlank = /\s/.test(composer.text.charAt(end));
  const shown = mentions + (hasBlank ? '' : ' ');
  const replaced = replaceRange(composer, from, end, shown);
  const moved = composer.cursor + shown.length - inserted.length;
  const next = composer.cursor > end ? moveTo(replaced, moved) : replaced;
  return step({ ...state, composer: next, recognised: next.text });
}
