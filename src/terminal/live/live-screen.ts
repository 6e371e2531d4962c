import {
  drawFrame,
  nothingShown,
  paint,
  textBytes,
  toText,
  type Frame,
  type Shown,
  cursorRow,
  eraseRest,
  eraseRow,
  shownPreview,
  up,
} from './live-paint.ts';
import {
  textToRepeat,
  type SizeChange,
  memory,
  nothingWritten,
  remember,
  type Written,
} from './live-race.ts';
import {
  advanceLine,
  emptyLine,
  isOpen,
  type OpenLine,
  extendLine,
  rewrapLine,
} from '../text/open-line.ts';
import { displayWidth, padToWidth } from '../text/width.ts';
import { styledCharacters } from '../text/wrap.ts';

interface Window {
  readonly columns: number;
  readonly rows: number;
  /** The terminal does not report its size. */
  readonly isGuess: boolean;
  /** The terminal rewraps its rows when its width changes. Most do; xterm truncates them. */
  readonly rewraps: boolean;
  /** The cursor moves down with every row that rewrapping adds, even below the cursor. */
  readonly cursorDrifts: boolean;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Number of rows of each frame row in the new window. */
function heights({ frame }: Shown, { columns, rewraps }: Window): number[] {
  return frame.rows.map((row) => (rewraps ? extendLine(emptyLine, row, columns).rows : 1));
}

/** The open line in the new window; undefined if its last row is unknown. */
function lineAfter(line: OpenLine, { columns, rewraps }: Window): OpenLine | undefined {
  if (line.isClipped) return undefined;
  if (rewraps) return rewrapLine(line, columns);
  return line.column <= columns ? line : undefined;
}

/** Number of rows that the preview after the open line adds in the new window. */
function previewRows(shown: Shown, after: OpenLine, { columns, rewraps }: Window): number {
  return rewraps ? extendLine(after, shownPreview(shown), columns).rows - after.rows : 0;
}

/** Moving down stops at the last row, which may be nearer now, so the terminal saves the position to return to. */
function eraseRows(rows: number): string {
  return `\u001B7${`\u001B[1B${eraseRow}`.repeat(Math.max(0, rows - 1))}\u001B8`;
}

/** The way to the place where text continues. */
interface MoveToText {
  /** Bytes that move there and erase the region. */
  readonly output: string;
  readonly line: OpenLine;
  /** Rows above the last row of the text that this may overwrite if the terminal behaves differently. */
  readonly reach: number;
}

/**
 * The way to the text after a resize, from the region as the terminal shows it now. If the end of the text is out of
 * reach, text continues in a new row.
 */
function toTextAfterResize(shown: Shown, window: Window): MoveToText {
  const { frame, line } = shown;
  const all = heights(shown, window);
  const caretIndex = cursorRow(shown) - (isOpen(line) && frame.rows.length > 0 ? 1 : 0);
  const below = all.slice(caretIndex + 1);
  const drift = window.cursorDrifts ? sum(below) - below.length : 0;
  // The caret's row counts from its start: some terminals do not wrap it, and rows above it are not natter's.
  const above = sum(all.slice(0, caretIndex)) + drift;
  const go = (rows: number) => `${up(Math.min(rows, window.rows - 1))}\r`;
  const total = Math.min(sum(all), window.rows);
  const found = isOpen(line) && sum(all) < window.rows ? lineAfter(line, window) : undefined;
  if (found === undefined) {
    const reach = Math.max(0, above - cursorRow(shown));
    return { output: go(above) + eraseRow + eraseRows(total), line: emptyLine, reach };
  }
  const own = 1 + previewRows(shown, found, window);
  const rest = found.column < window.columns ? eraseRest : '';
  const rows = frame.rows.length === 0 ? 0 : above + own;
  const output = go(rows) + eraseRows(total + own) + found.row + rest;
  return { output, line: found, reach: Math.max(0, rows - cursorRow(shown)) };
}

/** The same, to the start of text that is written again: `rows` above the text's last row. */
function toRepeatedText(shown: Shown, rows: number, window: Window): MoveToText {
  // Each row of the region counts as one, even if it was wrapped: moving up too far would overwrite text.
  const go = up(Math.min(cursorRow(shown) + rows, window.rows - 1));
  const output = `${go}\r${eraseRow}${eraseRows(window.rows)}`;
  return { output, line: emptyLine, reach: Math.max(1, rows) };
}

export interface RegionPlace {
  /** Of the window. */
  readonly columns: number;
  readonly rows: number;
  /** The text above has no line end yet, so a preview of its continuation may share its row. */
  readonly hasOpenLine: boolean;
}

/** Draws the region; called whenever it is shown or its place changes. */
export type DrawFrame = (place: RegionPlace) => Frame;

/** What is on the screen and what is pending. */
export interface ScreenState {
  draw: DrawFrame;
  /** `draw` has not been called yet. */
  isNew: boolean;
  /** Other output overwrote the region, or the terminal moved it. */
  isStale: boolean;
  /** An open line was ended, so the spaces or the line end before the next text are omitted. */
  isLineEnded: boolean;
  /** Finished text that is not written yet. */
  text: string;
  /** Sequences that change nothing on the screen, not written yet. */
  aside: string;
  shown: Shown;
  /** The window's rows when the region was drawn. */
  rows: number;
  /** The minimum number of rows of the window since then. */
  minRows: number;
  /** The first one since then. */
  sizeChange: SizeChange | undefined;
  /** See `TerminalQueries`. Undefined until the terminal has replied. */
  cursorDrifts: boolean | undefined;
  /** Time of that query, in milliseconds. */
  askedAt: number | undefined;
  written: Written;
}

export function firstState(columns: number, rows: number): ScreenState {
  return {
    draw: () => ({ rows: [] }),
    isNew: false,
    isStale: false,
    isLineEnded: false,
    text: '',
    aside: '',
    shown: nothingShown(emptyLine, columns),
    rows,
    minRows: rows,
    sizeChange: undefined,
    cursorDrifts: undefined,
    askedAt: undefined,
    written: nothingWritten,
  };
}

/** The frame for a place; the shown one if nothing has changed. */
function frameFor(state: ScreenState, line: OpenLine, window: Window): Frame {
  const { shown, isNew, isStale } = state;
  const { columns, rows } = window;
  const isMoved = columns !== shown.columns || rows !== state.rows;
  const hasOpenLine = isOpen(line);
  if (!isNew && !isStale && !isMoved && hasOpenLine === isOpen(shown.line)) return shown.frame;
  return fitFrame(state.draw({ columns, rows, hasOpenLine }), columns, rows);
}

interface Update {
  readonly bytes: string;
  /** The open line before the text. */
  readonly line: OpenLine;
  readonly reach: number;
}

function repaint(state: ScreenState, window: Window): Update {
  const { columns, isGuess } = window;
  const { shown, written, sizeChange, text } = state;
  const again = sizeChange && textToRepeat(written, sizeChange, columns);
  // A window that loses rows loses the last ones first, which then cannot move the cursor.
  const cursorDrifts = window.cursorDrifts && Math.min(window.rows, state.minRows) >= state.rows;
  const way =
    again === undefined
      ? toTextAfterResize(shown, { ...window, cursorDrifts })
      : toRepeatedText(shown, again.rows, window);
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

/** The bytes that bring the screen up to date; empty if nothing has changed. `now` returns milliseconds. */
export function nextBytes(state: ScreenState, window: Window, now: () => number): string {
  const { shown, text } = state;
  const isMoved = window.columns !== shown.columns || window.rows !== state.rows;
  if (!state.isNew && !state.isStale && !isMoved && text === '') return '';
  const isRepaint = isMoved || state.isStale;
  const { bytes, line, reach } = isRepaint ? repaint(state, window) : paintNext(state, window);
  // Text that continues in a new row is separated from the rest of its line.
  const written = isOpen(shown.line) && !isOpen(line) ? nothingWritten : state.written;
  if (bytes !== '') state.written = remember(written, { at: now(), line, text, reach });
  const { rows } = window;
  const settled = { text: '', isNew: false, isStale: false, sizeChange: undefined };
  Object.assign(state, { rows, minRows: rows, ...settled });
  return bytes;
}

/** Whether an update may still be in flight to a distant terminal at this time. */
export function wroteRecently({ shown, written }: ScreenState, at: number): boolean {
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
  state.isLineEnded ||= isOpen(shown.line);
  return `${toText(shown)}${isOpen(shown.line) ? '\r\n' : ''}`;
}

// When a window loses rows, it first loses those below the cursor; then rows above it move into the scrollback, where
// they cannot be erased. So while rows above the caret are only a preview, the cursor is hidden at the top of the
// region, and natter draws the caret.

const inverse = (text: string) => `\u001B[7m${text}\u001B[27m`;

/** The row with the character in `column` inverted. */
function withCaret(row: string, column: number): string {
  const whole = padToWidth(row, column + 1);
  let used = 0;
  let at = 0;
  for (const { text, isStyle } of styledCharacters(whole)) {
    if (!isStyle) used += displayWidth(text);
    if (used > column) return whole.slice(0, at) + inverse(text) + whole.slice(at + text.length);
    at += text.length;
  }
  return whole;
}

/** Adds spaces up to the caret: a terminal that rewraps rows may move a cursor that is beyond the end of its row. */
function reachingCaret(frame: Frame): Frame {
  const { rows, caret } = frame;
  return {
    ...frame,
    rows: rows.map((row, index) => (index === caret?.row ? padToWidth(row, caret.column) : row)),
  };
}

function parked(frame: Frame, columns: number): Frame {
  const { rows, caret } = frame;
  if (caret === undefined || caret.row === 0) return frame;
  const drawn = rows.map((row, index) =>
    index === caret.row ? withCaret(row, caret.column) : row,
  );
  // In the middle, its column shows the window's width after a resize in either direction.
  const column = Math.min(Math.floor(columns / 2), displayWidth(rows[0] ?? ''));
  return { ...frame, rows: drawn, caret: { row: 0, column, isHidden: true } };
}

/** Fits the frame into the window: one row is left for text, and excess rows at the top are omitted. */
function fitFrame(frame: Frame, columns: number, rows: number): Frame {
  const excess = Math.max(0, frame.rows.length - Math.max(1, rows - 1));
  const caret = frame.caret && { ...frame.caret, row: Math.max(0, frame.caret.row - excess) };
  const fitted = { ...frame, rows: frame.rows.slice(excess), caret };
  return reachingCaret(frame.hasPreviewRows === true ? parked(fitted, columns) : fitted);
}
