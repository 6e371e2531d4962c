import type { CaretShape } from '../../terminal/region/paint.ts';
import type { TextBuffer } from '../composer/text-buffer.ts';
import type { ViMode, ViState } from '../composer/vi/vi-state.ts';

/** `editing=vi`. */
export interface ViSession {
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

export function caretShapeOf({ editing }: ViSession): CaretShape {
  return editing.pending.length > 0 ? 'underline' : caretShapes[editing.mode];
}

export function typesText({ editing: { mode } }: ViSession): boolean {
  return mode === 'insert' || mode === 'replace';
}

/** `NORMAL`, or with the keys of an incomplete command `NORMAL 2d`. */
export function modeText({ editing: { mode, pending } }: ViSession): string {
  return [modeLabels[mode], pending.join('')].filter((part) => part !== '').join(' ');
}
