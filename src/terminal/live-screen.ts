import {
  drawFrame,
  nothingShown,
  paint,
  textBytes,
  toText,
  type Frame,
  type Shown,
} from './live-paint.ts';
import { toTextAfterResize, type Window } from './live-resize.ts';
import { advanceLine, emptyLine, isOpen, type OpenLine } from './open-line.ts';

/** Where a frame is drawn. */
export interface RegionPlace {
  /** Of the window. */
  readonly columns: number;
  readonly rows: number;
  /** The text above goes on: a preview of it can stand in its row. */
  readonly hasOpenLine: boolean;
}

/** Draws the region; called once for each time it is shown, or its place changes. */
export type DrawFrame = (place: RegionPlace) => Frame;

/** What is on the screen and what is to come. */
export interface ScreenState {
  draw: DrawFrame;
  /** `draw` was not called yet. */
  isNew: boolean;
  /** Something else wrote over the region, or the terminal moved it. */
  isStale: boolean;
  /** Finished, not written yet. */
  text: string;
  shown: Shown;
  /** The window's rows when it was drawn. */
  rows: number;
  /** The fewest rows the window had since. */
  leastRows: number;
}

/** A frame that leaves a row of the window to the text; rows at the top give way. */
function fitted(frame: Frame, rows: number): Frame {
  const excess = frame.rows.length - Math.max(1, rows - 1);
  if (excess <= 0) return frame;
  const caret = frame.caret && { ...frame.caret, row: Math.max(0, frame.caret.row - excess) };
  return { ...frame, rows: frame.rows.slice(excess), caret };
}

/** The frame for a place: the one shown, where nothing asks for another. */
function frameFor(state: ScreenState, line: OpenLine, window: Window): Frame {
  const { shown, isNew, isStale } = state;
  const { columns, rows } = window;
  const isMoved = columns !== shown.columns || rows !== state.rows;
  const hasOpenLine = isOpen(line);
  if (!isNew && !isStale && !isMoved && hasOpenLine === isOpen(shown.line)) return shown.frame;
  return fitted(state.draw({ columns, rows, hasOpenLine }), rows);
}

function repaint(state: ScreenState, window: Window): string {
  const { columns } = window;
  // A window that gets lower loses its last rows first, and then they add none.
  const cursorDrifts = window.cursorDrifts && Math.min(window.rows, state.leastRows) >= state.rows;
  const { output, line: before } = toTextAfterResize(state.shown, { ...window, cursorDrifts });
  const line = advanceLine(before, state.text, columns);
  state.shown = { frame: frameFor(state, line, window), line, columns };
  return output + textBytes(state.text) + drawFrame(state.shown);
}

function paintNext(state: ScreenState, window: Window): string {
  const { shown, text } = state;
  const { columns } = shown;
  const line = advanceLine(shown.line, text, columns);
  state.shown = { frame: frameFor(state, line, window), line, columns };
  return paint(shown, text, state.shown);
}

/** The bytes that show all there is to show; empty when nothing has changed. */
export function nextBytes(state: ScreenState, window: Window): string {
  const { shown } = state;
  const isMoved = window.columns !== shown.columns || window.rows !== state.rows;
  if (!state.isNew && !state.isStale && !isMoved && state.text === '') return '';
  const bytes = isMoved || state.isStale ? repaint(state, window) : paintNext(state, window);
  const { rows } = window;
  Object.assign(state, { rows, leastRows: rows, text: '', isNew: false, isStale: false });
  return bytes;
}

/** The bytes that erase the region and end an open line. */
export function leaveBytes(state: ScreenState): string {
  const { shown } = state;
  state.shown = nothingShown(emptyLine, shown.columns);
  return `${toText(shown)}${isOpen(shown.line) ? '\r\n' : ''}`;
}
