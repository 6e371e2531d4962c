import { cursorColumn } from './live-paint.ts';
import { confirm, shownWidthOf } from './live-race.ts';
import {
  firstState,
  forgetShown,
  leaveBytes,
  nextBytes,
  wroteRecently,
  type DrawFrame,
  type ScreenState,
} from './live-screen.ts';

/** Milliseconds between two updates. */
const minPause = 33;

/** Throttles redraws. It has no timer while there is nothing to draw. */
interface Pace {
  /** Requests an update: at once, but at least 33 ms after the last one, and not while the terminal is slow. */
  soon(): void;
  /** Requests an update after a pause without updates. */
  after(milliseconds: number): void;
  /** If the terminal is slow: resolves when it has accepted the last update. */
  slowness(): Promise<void> | undefined;
  /**
   * Resolves when a requested update would be done at once; undefined if that is now. With `skipsOne`, the update after
   * that.
   */
  nextUpdate(skipsOne?: boolean): Promise<void> | undefined;
  end(): void;
}

interface PaceClock {
  /** Milliseconds. */
  monotonic(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Sleeps until `due`, which may change meanwhile. */
async function sleepUntil(due: () => number, clock: PaceClock, signal: AbortSignal): Promise<void> {
  for (let wait = due() - clock.monotonic(); wait > 0; wait = due() - clock.monotonic()) {
    await clock.sleep(wait, signal);
  }
}

const throwUnlessAborted = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error;
};

/** Not again if another update comes first: many of them must not keep text waiting. */
function turnAt(
  due: number,
  clock: PaceClock,
  signal: AbortSignal,
  slowness: () => Promise<void> | undefined,
): Promise<void> | undefined {
  const wait = due - clock.monotonic();
  if (wait <= 0) return slowness();
  return clock.sleep(wait, signal).then(slowness, () => undefined);
}

/** `look` is called directly before an update and may still request a pause. */
export function createPace(
  clock: PaceClock,
  update: () => Promise<void> | undefined,
  look: () => void = () => {},
): Pace {
  const ending = new AbortController();
  let next = Number.NEGATIVE_INFINITY;
  let isAsked = false;
  let slow: Promise<void> | undefined;

  const run = async () => {
    // Never synchronously, so that several requests become one update.
    await Promise.resolve();
    do {
      await sleepUntil(() => next, clock, ending.signal);
      await slow;
      if (ending.signal.aborted) return;
      look();
    } while (next > clock.monotonic());
    isAsked = false;
    next = clock.monotonic() + minPause;
    slow = update();
    void slow?.then(() => (slow = undefined));
  };
  const soon = () => {
    if (isAsked || ending.signal.aborted) return;
    isAsked = true;
    run().catch(throwUnlessAborted(ending.signal));
  };
  const slowness = () => slow;
  const turn = (due: number) => turnAt(due, clock, ending.signal, slowness);
  return {
    soon,
    after(milliseconds) {
      next = Math.max(next, clock.monotonic() + milliseconds);
      soon();
    },
    slowness,
    nextUpdate: (skipsOne = false) => turn(skipsOne ? next + minPause : next),
    end: () => ending.abort(),
  };
}

/** The rows natter redraws. Finished text goes above them into the scrollback, without added line breaks. */
export interface LiveRegion {
  /** Schedules a frame; of several in a short time, only the last is shown. */
  render(draw: DrawFrame): void;
  /** Writes finished text above the region. The next text may continue its last line; styles must be closed. */
  commit(text: string): void;
  /** Writes sequences that change nothing on the screen, such as a title, with the next update. */
  writeAside(sequences: string): void;
  /** A promise while the terminal is slow: await it before committing more. */
  slowness(): Promise<void> | undefined;
  /** Resolves when text would be shown at once, or with `skipsOne` one update later; undefined if that is now. */
  nextUpdate(skipsOne?: boolean): Promise<void> | undefined;
  /** Call after a resize: the region is redrawn once the size is stable. */
  resized(): void;
  /** Erases the region, ends an open line, and queues all output until `resume`. */
  suspend(): void;
  resume(): void;
  /** Redraws the region after other output overwrote it. */
  redraw(): void;
  /** Draws the region at the cursor, leaving the old one in place, after other output below it. */
  forget(): void;
  /** Writes pending text, erases the region, and leaves the cursor on an empty row. */
  close(): void;
  /** Like `close`, but returns the bytes, for a process that is about to end. */
  abandon(): string;
}

export interface LiveRegionOptions {
  readonly output: {
    columns(): number;
    rows(): number;
    hasSize(): boolean;
    write(text: string): Promise<void> | undefined;
  };
  /** Requests the cursor's column, from zero. Some terminals never reply. */
  readonly askColumn?: (answer: (column: number) => void) => void;
  readonly clock: PaceClock;
  /** Calls `resized` if the window's size has changed unnoticed. */
  readonly checkSize?: () => void;
  /** Marks updates for the terminal to show at once (DEC mode 2026). */
  readonly synchronized: boolean;
  /** See `TerminalQueries`; requested at the first resize. */
  readonly askDrift?: (answer: (cursorDrifts: boolean) => void) => void;
  /** See `TerminalTraits`. */
  readonly rewraps: boolean;
  readonly resizePause: number;
}

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
const beginUpdate = '\u001B[?2026h';
const endUpdate = '\u001B[?2026l';

function createWriter(state: ScreenState, options: LiveRegionOptions, onRepaint: () => void) {
  const { output, clock, synchronized, rewraps } = options;
  const write = (bytes: string, showsCursor: boolean) => {
    const { aside } = state;
    state.aside = '';
    if (bytes === '') return aside === '' ? undefined : output.write(aside);
    const update = `${hideCursor}${bytes}${showsCursor ? showCursor : ''}`;
    return output.write(aside + (synchronized ? beginUpdate + update + endUpdate : update));
  };
  const next = () => {
    const size = { columns: output.columns(), rows: output.rows(), isGuess: !output.hasSize() };
    const window = { ...size, rewraps, cursorDrifts: state.cursorDrifts === true };
    return nextBytes(state, window, () => clock.monotonic());
  };
  return {
    update() {
      const isResized = state.sizeChange !== undefined;
      const bytes = next();
      const { caret } = state.shown.frame;
      const writing = write(bytes, caret !== undefined && caret.isHidden !== true);
      if (isResized && state.shown.frame.rows.length > 0) onRepaint();
      return writing;
    },
    leave: () => void write(next() + leaveBytes(state), true),
    lastBytes: () => next() + leaveBytes(state),
  };
}

export function createLiveRegion(options: LiveRegionOptions): LiveRegion {
  const { output, clock } = options;
  const state = firstState(output.columns(), output.rows());
  const writer = createWriter(state, options, () => checkRepaint(state, pace, options));
  let isSuspended = false;
  const update = () => (isSuspended ? undefined : writer.update());
  const pace = createPace(clock, update, () => {
    options.checkSize?.();
    if (waitsForAnswer(state, clock.monotonic())) pace.after(answerPause);
  });
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

/** Maximum milliseconds that the first update after a resize waits for the terminal's identification. */
const maxWait = 500;
const answerPause = 20;

function waitsForAnswer({ askedAt, cursorDrifts, isStale }: ScreenState, now: number): boolean {
  if (!isStale || askedAt === undefined || cursorDrifts !== undefined) return false;
  return now - askedAt < maxWait;
}

function askDriftOnce(state: ScreenState, options: LiveRegionOptions): void {
  const { askDrift, clock, rewraps } = options;
  if (state.askedAt !== undefined || askDrift === undefined || !rewraps) return;
  state.askedAt = clock.monotonic();
  askDrift((cursorDrifts) => void (state.cursorDrifts = cursorDrifts));
}

/** Records the first resize since an update and the terminal's cursor report about it. */
function noteChange(state: ScreenState, { output, clock, askColumn }: LiveRegionOptions): void {
  if (state.sizeChange !== undefined) return;
  const columns = output.columns();
  const change = { at: clock.monotonic(), columns, verdict: 'unknown' } as const;
  state.sizeChange = change;
  if (!wroteRecently(state, change.at)) return;
  askColumn?.((cursor) => {
    if (state.sizeChange !== change) return;
    const verdict = shownWidthOf(state.shown, columns, cursor);
    state.sizeChange = { ...change, verdict, answerTime: clock.monotonic() - change.at };
  });
}

/** If a repaint was shown at a different width, the resize signal is still pending. */
function checkRepaint(state: ScreenState, pace: Pace, options: LiveRegionOptions): void {
  const { clock, askColumn, resizePause } = options;
  const at = state.written.writes.at(-1)?.at ?? clock.monotonic();
  const wanted = cursorColumn(state.shown);
  const { columns } = state.shown;
  askColumn?.((cursor) => {
    if (cursor === wanted) state.written = confirm(state.written, at);
    if (cursor === wanted || state.shown.columns !== columns) return;
    const answerTime = clock.monotonic() - at;
    state.sizeChange = { at, columns, verdict: 'other-width', answerTime };
    pace.after(resizePause);
  });
}

function updates(state: ScreenState, pace: Pace, options: LiveRegionOptions) {
  return {
    render(draw: DrawFrame) {
      state.draw = draw;
      state.isNew = true;
      pace.soon();
    },
    commit(text: string) {
      const added = state.isLineEnded ? text.replace(/^ *\n?/, '') : text;
      state.isLineEnded &&= /^ *$/.test(text);
      state.text += added;
      if (text !== '') pace.soon();
    },
    writeAside(sequences: string) {
      state.aside += sequences;
      pace.soon();
    },
    slowness: () => pace.slowness(),
    nextUpdate: (skipsOne?: boolean) => pace.nextUpdate(skipsOne),
    resized() {
      // Even if the size has changed back: the terminal has moved its rows.
      state.isStale = true;
      state.minRows = Math.min(state.minRows, options.output.rows());
      askDriftOnce(state, options);
      noteChange(state, options);
      pace.after(options.resizePause);
    },
    redraw() {
      state.isStale = true;
      pace.soon();
    },
    forget() {
      forgetShown(state);
      state.isNew = true;
      pace.soon();
    },
  };
}
