import { createPace, type Pace, type PaceClock } from './live-pace.ts';
import { nothingShown } from './live-paint.ts';
import { leaveBytes, nextBytes, type DrawFrame, type ScreenState } from './live-screen.ts';
import { emptyLine } from './open-line.ts';

/**
 * The rows at the end of the terminal that natter redraws, and the way of finished text past them into the
 * scrollback. Text is given to the terminal once, without line breaks of natter's own, and never touched again.
 */
export interface LiveRegion {
  /** Shows another frame soon; of several in a short time, the last. */
  render(draw: DrawFrame): void;
  /**
   * Puts finished text above the region. Its last line may go on with the next text; escape codes are closed
   * at its end.
   */
  commit(text: string): void;
  /** A promise while the terminal is slow: await it before committing more. */
  slowness(): Promise<void> | undefined;
  /** The window's size has changed: drawn again when it stays for a moment. */
  resized(): void;
  /** Erases the region, ends an open line, and keeps everything back until `resume`. */
  suspend(): void;
  resume(): void;
  /** Draws the region again after something else wrote over it. */
  redraw(): void;
  /** Draws the region anew where the cursor is: something else wrote below it, and what it drew is left there. */
  forget(): void;
  /** Writes the last text, erases the region, and leaves the cursor on an empty row. */
  close(): void;
  /** Ends as `close` does, but gives the bytes back: for when there is no time to write as usual. */
  abandon(): string;
}

export interface LiveRegionOptions {
  readonly output: {
    columns(): number;
    rows(): number;
    write(text: string): Promise<void> | undefined;
  };
  readonly clock: PaceClock;
  /** Calls `resized` when the window has another size than was heard of. */
  readonly checkSize?: () => void;
  /** Marks updates for the terminal to show at once (DEC mode 2026). */
  readonly synchronized: boolean;
  /** See `TerminalTraits`. */
  readonly rewraps: boolean;
  readonly cursorDrifts: boolean;
  readonly resizePause: number;
}

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
const beginUpdate = '\u001B[?2026h';
const endUpdate = '\u001B[?2026l';

/** Writes what has changed, as one update. */
function createWriter(state: ScreenState, options: LiveRegionOptions) {
  const { output, synchronized, rewraps, cursorDrifts } = options;
  const write = (bytes: string, showsCursor: boolean) => {
    if (bytes === '') return undefined;
    const update = `${hideCursor}${bytes}${showsCursor ? showCursor : ''}`;
    return output.write(synchronized ? beginUpdate + update + endUpdate : update);
  };
  const window = () => {
    return { columns: output.columns(), rows: output.rows(), rewraps, cursorDrifts };
  };
  return {
    update() {
      const bytes = nextBytes(state, window());
      return write(bytes, state.shown.frame.caret !== undefined);
    },
    leave: () => void write(nextBytes(state, window()) + leaveBytes(state), true),
    lastBytes: () => nextBytes(state, window()) + leaveBytes(state),
  };
}

function emptyScreen(output: LiveRegionOptions['output']): ScreenState {
  return {
    draw: () => ({ rows: [] }),
    isNew: false,
    isStale: false,
    text: '',
    shown: nothingShown(emptyLine, output.columns()),
    rows: output.rows(),
    leastRows: output.rows(),
  };
}

export function createLiveRegion(options: LiveRegionOptions): LiveRegion {
  const { output, clock, checkSize } = options;
  const state = emptyScreen(output);
  const writer = createWriter(state, options);
  let isSuspended = false;
  const pace = createPace(clock, () => (isSuspended ? undefined : writer.update()), checkSize);
  return { ...updates(state, pace, options), ...pauses() };

  function pauses() {
    const suspend = () => {
      if (!isSuspended) writer.leave();
      isSuspended = true;
    };
    return {
      suspend,
      resume() {
        isSuspended = false;
        state.isNew = true;
        pace.soon();
      },
      close() {
        suspend();
        pace.end();
      },
      abandon() {
        const bytes = isSuspended ? '' : writer.lastBytes();
        isSuspended = true;
        pace.end();
        return bytes;
      },
    };
  }
}

function updates(state: ScreenState, pace: Pace, { output, resizePause }: LiveRegionOptions) {
  return {
    render(draw: DrawFrame) {
      state.draw = draw;
      state.isNew = true;
      pace.soon();
    },
    commit(text: string) {
      state.text += text;
      if (text !== '') pace.soon();
    },
    slowness: () => pace.slowness(),
    resized() {
      // Also where the size is the old one again by then: the terminal has moved its rows.
      state.isStale = true;
      state.leastRows = Math.min(state.leastRows, output.rows());
      pace.after(resizePause);
    },
    redraw() {
      state.isStale = true;
      pace.soon();
    },
    forget() {
      state.shown = nothingShown(emptyLine, state.shown.columns);
      state.isNew = true;
      pace.soon();
    },
  };
}
