import { fitFrame } from './live-caret.ts';
import {
  drawFrame,
  nothingShown,
  paint,
  textBytes,
  toText,
  type Frame,
  type Shown,
} from './live-paint.ts';
import { textToRepeat, type SizeChange } from './live-race.ts';
import { toTextAfterResize, toTextAgain, type Window } from './live-resize.ts';
import { memory, nothingWritten, remember, type Written } from './live-written.ts';
import { advanceLine, emptyLine, isOpen, type OpenLine } from '../text/open-line.ts';

/** Where a frame is drawn. */
export interface RegionPlace {
  /** Of the window. */
  readonly columns: number;
  readonly rows: number;
  /** The text above has no line end yet: a preview of its continuation fits in its row. */
  readonly hasOpenLine: boolean;
}

/** Draws the region; called once for each time it is shown, or its place changes. */
export type DrawFrame = (place: RegionPlace) => Frame;

/** What is on the screen and what is pending. */
export interface ScreenState {
  draw: DrawFrame;
  /** `draw` was not called yet. */
  isNew: boolean;
  /** Other output overwrote the region, or the terminal moved it. */
  isStale: boolean;
  /** Finished, not written yet. */
  text: string;
  shown: Shown;
  /** The window's rows when it was drawn. */
  rows: number;
  /** The fewest rows the window had since. */
  leastRows: number;
  /** The first that came since. */
  sizeChange: SizeChange | undefined;
  /** Of the terminal: see `TerminalQuestions`. Undefined as long as it has not answered. */
  cursorDrifts: boolean | undefined;
  /** When it was asked, in milliseconds. */
  askedAt: number | undefined;
  written: Written;
}

/** Nothing of natter's is on the screen. */
export function firstState(columns: number, rows: number): ScreenState {
  return {
    draw: () => ({ rows: [] }),
    isNew: false,
    isStale: false,
    text: '',
    shown: nothingShown(emptyLine, columns),
    rows,
    leastRows: rows,
    sizeChange: undefined,
    cursorDrifts: undefined,
    askedAt: undefined,
    written: nothingWritten,
  };
}

/** The frame for a place: the one shown, where nothing asks for another. */
function frameFor(state: ScreenState, line: OpenLine, window: Window): Frame {
  const { shown, isNew, isStale } = state;
  const { columns, rows } = window;
  const isMoved = columns !== shown.columns || rows !== state.rows;
  const hasOpenLine = isOpen(line);
  if (!isNew && !isStale && !isMoved && hasOpenLine === isOpen(shown.line)) return shown.frame;
  return fitFrame(state.draw({ columns, rows, hasOpenLine }), columns, rows);
}

/** The bytes of an update: how the text that there is to write is reached, and the text. */
interface Update {
  readonly bytes: string;
  /** What the text is added to. */
  readonly line: OpenLine;
  readonly reach: number;
}

function repaint(state: ScreenState, window: Window): Update {
  const { columns, isGuess } = window;
  const { shown, written, sizeChange, text } = state;
  const again = sizeChange && textToRepeat(written, sizeChange, columns);
  // A window that gets lower loses its last rows first, and then they add none.
  const cursorDrifts = window.cursorDrifts && Math.min(window.rows, state.leastRows) >= state.rows;
  const way =
    again === undefined
      ? toTextAfterResize(shown, { ...window, cursorDrifts })
      : toTextAgain(shown, again.rows, window);
  const before = advanceLine(way.line, again?.text ?? '', columns);
  const line = advanceLine(before, text, columns);
  state.shown = { frame: frameFor(state, line, window), line, columns, isGuess };
  const bytes = way.output + textBytes((again?.text ?? '') + text) + drawFrame(state.shown);
  return { bytes, line: before, reach: way.reach };
}

function paintNext(state: ScreenState, window: Window): Update {
  const { shown, text } = state;
  const { columns } = shown;
  const { isGuess } = window;
  const line = advanceLine(shown.line, text, columns);
  state.shown = { frame: frameFor(state, line, window), line, columns, isGuess };
  return { bytes: paint(shown, text, state.shown), line: shown.line, reach: 0 };
}

/** The bytes that show all there is to show; empty when nothing has changed. `now` tells milliseconds. */
export function nextBytes(state: ScreenState, window: Window, now: () => number): string {
  const { shown, text } = state;
  const isMoved = window.columns !== shown.columns || window.rows !== state.rows;
  if (!state.isNew && !state.isStale && !isMoved && text === '') return '';
  const isRepaint = isMoved || state.isStale;
  const { bytes, line, reach } = isRepaint ? repaint(state, window) : paintNext(state, window);
  // Text that goes on in a row of its own leaves the rest of its line behind.
  const written = isOpen(shown.line) && !isOpen(line) ? nothingWritten : state.written;
  if (bytes !== '') state.written = remember(written, { at: now(), line, text, reach });
  const { rows } = window;
  const settled = { text: '', isNew: false, isStale: false, sizeChange: undefined };
  Object.assign(state, { rows, leastRows: rows, ...settled });
  return bytes;
}

/** An update may still be on its way to the terminal, even if that is far. `at` is now. */
export function wroteLately({ shown, written }: ScreenState, at: number): boolean {
  const last = written.writes.at(-1);
  return shown.frame.rows.length > 0 && last !== undefined && at - last.at <= memory;
}

/** Leaves the shown rows in place as ordinary output. */
export function forgetShown(state: ScreenState): void {
  state.shown = nothingShown(emptyLine, state.shown.columns);
  state.written = nothingWritten;
}

/** The bytes that erase the region and end an open line. */
export function leaveBytes(state: ScreenState): string {
  const { shown } = state;
  forgetShown(state);
  return `${toText(shown)}${isOpen(shown.line) ? '\r\n' : ''}`;
}
