import {
  drawAll,
  isOpen,
  nothingShown,
  paint,
  textBytes,
  toText,
  type Frame,
  type Shown,
} from './live-paint.ts';
import { toTextAfterResize, type Window } from './live-resize.ts';
import { advanceLine, emptyLine } from './open-line.ts';

/** What is on the screen and what is to come. */
export interface ScreenState {
  draw: (columns: number, rows: number) => Frame;
  /** `draw` was not called yet. */
  isNew: boolean;
  /** Something else wrote over the region. */
  isStale: boolean;
  /** Finished, not written yet. */
  text: string;
  shown: Shown;
  /** The window's rows when it was drawn. */
  rows: number;
}

/** A frame that leaves a row of the window to the text; rows at the top give way. */
function fitted(frame: Frame, rows: number): Frame {
  const excess = frame.rows.length - Math.max(1, rows - 1);
  if (excess <= 0) return frame;
  const caret = frame.caret && { ...frame.caret, row: Math.max(0, frame.caret.row - excess) };
  return { ...frame, rows: frame.rows.slice(excess), caret };
}

function redrawAfterResize(state: ScreenState, to: Frame, window: Window): string {
  const { columns } = window;
  const { output, line } = toTextAfterResize(state.shown, window);
  const after = advanceLine(line, state.text, columns);
  state.shown = { frame: to, line: after, columns };
  return output + textBytes(state.text) + drawAll(to, after, columns);
}

/** The bytes that show all there is to show; empty when nothing has changed. */
export function nextBytes(state: ScreenState, window: Window): string {
  const { shown, text } = state;
  const isResized = window.columns !== shown.columns || window.rows !== state.rows || state.isStale;
  if (!state.isNew && !isResized && text === '') return '';
  const wanted = state.isNew || isResized ? state.draw(window.columns, window.rows) : shown.frame;
  const to = fitted(wanted, window.rows);
  state.rows = window.rows;
  state.isNew = state.isStale = false;
  const bytes = isResized ? redrawAfterResize(state, to, window) : paintNext(state, to);
  state.text = '';
  return bytes;
}

function paintNext(state: ScreenState, to: Frame): string {
  const { shown, text } = state;
  const { columns } = shown;
  const line = advanceLine(shown.line, text, columns);
  state.shown = { frame: to, line, columns };
  return paint(shown, text, line, to);
}

/** The bytes that erase the region and end an open line. */
export function leaveBytes(state: ScreenState): string {
  const { shown } = state;
  state.shown = nothingShown(emptyLine, shown.columns);
  return `${toText(shown)}${isOpen(shown.line) ? '\r\n' : ''}`;
}
