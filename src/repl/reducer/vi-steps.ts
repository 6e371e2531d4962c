import type { KeyAction } from '../editing/keys/key-bindings.ts';
import type { KeyEvent } from '../editing/keys/key-event.ts';
import type { TextBuffer } from '../editing/text-buffer.ts';
import { asOneEdit, leftInsertion, restartInsertion } from '../editing/vi/insertion.ts';
import { settled } from '../editing/vi/press.ts';
import type { Ran, ViRequest } from '../editing/vi/run-command.ts';
import { isInserting, type ViState } from '../editing/vi/vi-state.ts';
import type { ReplState } from '../state/state.ts';
import type { ComposerKeys as KeysOf, ViSession as SessionOf } from '../state/vi-session.ts';
import { quit, step, type Step } from './step.ts';

export type ComposerKeys = KeysOf<ReplState>;
export type ViSession = SessionOf<ReplState>;

/** The state, and the keys that vi editing leaves alone. */
export interface Pressed {
  readonly state: ReplState;
  readonly vi: ViSession;
  readonly keys: ComposerKeys;
}

export function withEditing(
  state: ReplState,
  { editor }: ViSession,
  editing: ViState,
  buffer: TextBuffer,
): ReplState {
  const composer = settled(editing, buffer);
  return { ...state, composer, vi: { editor, editing, seen: composer } };
}

/** A change from elsewhere, such as a restored prompt, cancels an incomplete command. */
export function synchronized(state: ReplState, vi: ViSession): ReplState {
  const { composer } = state;
  const { editing, seen } = vi;
  if (composer === seen && (editing.insertion !== undefined || !isInserting(editing))) return state;
  const idle: ViState = { ...editing, pending: [], wantedColumn: undefined };
  const next: ViState = isInserting(editing)
    ? restartInsertion(idle, composer)
    : { ...idle, mode: 'normal' };
  return withEditing(state, vi, next, composer);
}

/** An exit needs Enter again. */
export function askExit(state: ReplState): Step {
  return state.isExitWordEntered ? quit(state) : step({ ...state, isExitWordEntered: true });
}

const requestedActions: Readonly<Record<Exclude<ViRequest, 'exit'>, KeyAction>> = {
  'history-older': 'move-up',
  'history-newer': 'move-down',
  'row-up': 'move-up',
  'row-down': 'move-down',
};

export function afterRun(
  { state, vi, keys }: Pressed,
  { vi: editing, buffer, request }: Ran,
): Step {
  const next = withEditing({ ...state, completion: undefined }, vi, editing, buffer);
  if (request === undefined) return step(next);
  if (request === 'exit') return askExit(next);
  return afterPassed(keys.act(next, requestedActions[request]), false);
}

/** Inserted text up to a jump is one undo step; what follows is the next one. */
function resumed(editing: ViState, composer: TextBuffer): readonly [ViState, TextBuffer] {
  const { insertion } = editing;
  if (insertion === undefined) return [restartInsertion(editing, composer), composer];
  if (!leftInsertion(insertion, composer)) return [editing, composer];
  const isExtended = composer.undoStack.at(-1) !== insertion.before.undoStack.at(-1);
  const joined = isExtended ? asOneEdit(insertion.before, composer) : composer;
  return [restartInsertion(editing, joined), joined];
}

/** Adopts what another key did. A sent prompt leaves a composer in insert mode, at the end of a draft that returned. */
export function afterPassed(done: Step, isSent: boolean): Step {
  const { state, effects } = done;
  const { vi } = state;
  if (vi === undefined) return done;
  const isNew = isSent && state.composer !== vi.seen;
  const composer = isNew
    ? { ...state.composer, cursor: state.composer.text.length }
    : state.composer;
  const editing: ViState = isNew
    ? { ...vi.editing, mode: 'insert', insertion: undefined }
    : vi.editing;
  if (!isInserting(editing)) return { state: withEditing(state, vi, editing, composer), effects };
  const [next, buffer] = resumed(editing, composer);
  return { state: withEditing(state, vi, next, buffer), effects };
}

export function pass({ state, keys }: Pressed, event: KeyEvent): Step {
  const isEnter = event.type === 'key' && event.name === 'enter';
  return afterPassed(keys.press(state, event), isEnter);
}
