import type { CaretShape } from '../../terminal/region/paint.ts';
import type { KeyAction } from '../editing/keys/key-bindings.ts';
import type { KeyEvent } from '../editing/keys/key-event.ts';
import type { TextBuffer } from '../editing/text-buffer.ts';
import type { ViMode, ViState } from '../editing/vi/vi-state.ts';
import type { Effect } from './effect.ts';

interface Stepped<State> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** What vi editing leaves to the other keys of the composer. */
export interface ComposerKeys<State> {
  readonly press: (state: State, event: KeyEvent) => Stepped<State>;
  readonly act: (state: State, action: KeyAction) => Stepped<State>;
}

/** The functions of vi editing, which are loaded only for it. */
export interface ViEditor<State> {
  readonly press: (
    state: State,
    vi: ViSession<State>,
    event: KeyEvent,
    keys: ComposerKeys<State>,
  ) => Stepped<State>;
  /** The selected text of visual mode; UTF-16 offsets. */
  readonly selection: (
    editing: ViState,
    buffer: TextBuffer,
  ) => { readonly from: number; readonly to: number } | undefined;
}

/** `editing=vi`. */
export interface ViSession<State = unknown> {
  readonly editor: ViEditor<State>;
  readonly editing: ViState;
  /** The composer after the last key: a different one was changed by something else. */
  readonly seen: TextBuffer;
}

/** Whether keys edit the draft. */
export function isComposing(state: {
  readonly dialog: unknown;
  readonly search: unknown;
  readonly list?: unknown;
}): boolean {
  return state.dialog === undefined && state.search === undefined && state.list === undefined;
}

const modeLabels: Readonly<Record<ViMode, string>> = {
  insert: 'INSERT',
  replace: 'REPLACE',
  normal: 'NORMAL',
  visual: 'VISUAL',
  'visual-line': 'V-LINE',
};

const caretShapes: Readonly<Record<ViMode, CaretShape>> = {
  insert: 'bar',
  replace: 'underline',
  normal: 'block',
  visual: 'block',
  'visual-line': 'block',
};

export function caretShapeOf({ editing }: Pick<ViSession, 'editing'>): CaretShape {
  return editing.pending.length > 0 ? 'underline' : caretShapes[editing.mode];
}

export function typesText({ editing: { mode } }: Pick<ViSession, 'editing'>): boolean {
  return mode === 'insert' || mode === 'replace';
}

/** `NORMAL`, or with the keys of an incomplete command `NORMAL 2d`. */
export function modeText({ editing: { mode, pending } }: Pick<ViSession, 'editing'>): string {
  return [modeLabels[mode], pending.join('')].filter((part) => part !== '').join(' ');
}
