import type { Clock } from '../../clock.ts';
import type { OutputStream } from '../device/streams.ts';
import type { TerminalTraits } from '../device/terminal-kind.ts';
import {
  advanceLine,
  drawFrame,
  emptyLine,
  fitFrame,
  type Frame,
  isOpen,
  paint,
  type Shown,
  shownPreview,
  textBytes,
  toText,
  toTextAfterResize,
} from './paint.ts';

/** Milliseconds between two updates. */
const minPause = 33;

export interface RegionPlace {
  /** The size of the window. */
  readonly columns: number;
  readonly rows: number;
  /** The text above has no line end yet, so a preview of its continuation may share its row. */
  readonly hasOpenLine: boolean;
}

interface LiveRegionOptions {
  readonly output: OutputStream;
  readonly clock: Clock;
  readonly traits: TerminalTraits;
  /** Calls `resized` if the window's size has changed unnoticed. */
  readonly checkSize?: () => void;
}

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
const beginUpdate = '\u001B[?2026h';
const endUpdate = '\u001B[?2026l';

/** The rows natter redraws. Finished text goes above them into the scrollback, without added line breaks. */
export class LiveRegion {
  readonly #options: LiveRegionOptions;
  #shown: Shown;
  /** Called whenever the region is shown or its place changes. */
  #draw: (place: RegionPlace) => Frame = () => ({ rows: [] });
  /** `#draw` has not been called yet. */
  #isNew = false;
  /** Other output overwrote the region, or the terminal moved it. */
  #isStale = false;
  /** A preview in a row that moved out of reach: text that begins with it goes on after it. */
  #stranded = '';
  /** An open line was ended, so the spaces or the line end before the next text are omitted. */
  #isLineEnded = false;
  #isSuspended = false;
  /** Finished text that is not written yet. */
  #text = '';
  /** Sequences that change nothing on the screen, not written yet. */
  #aside = '';
  /** An update is asked for. */
  #isAsked = false;
  /** The time of the next update, if there is one. */
  #earliest = Number.NEGATIVE_INFINITY;
  /** Resolves when a slow terminal has accepted the last update. */
  #slow: Promise<void> | undefined;

  constructor(options: LiveRegionOptions) {
    const { output } = options;
    this.#options = options;
    this.#shown = {
      frame: { rows: [] },
      line: emptyLine,
      columns: output.columns(),
      rows: output.rows(),
    };
  }

  /** Schedules a frame; of several in a short time, only the last is shown. */
  render(draw: (place: RegionPlace) => Frame): void {
    this.#draw = draw;
    this.#isNew = true;
    this.#soon();
  }

  /** Writes finished text above the region. The next text may continue its last line; styles must be closed. */
  commit(text: string): void {
    this.#text += this.#isLineEnded ? text.replace(/^ *\n?/, '') : text;
    this.#isLineEnded &&= /^ *$/.test(text);
    if (text !== '') this.#soon();
  }

  /** Writes sequences that change nothing on the screen, such as a title, with the next update. */
  writeAside(sequences: string): void {
    this.#aside += sequences;
    this.#soon();
  }

  /** A promise while the terminal is slow: await it before committing more. */
  slowness(): Promise<void> | undefined {
    return this.#slow;
  }

  /**
   * Call after a resize: the region is redrawn once the size is stable, even if it has changed back, because the
   * terminal has moved its rows.
   */
  resized(): void {
    const { clock, traits } = this.#options;
    this.#isStale = true;
    this.#earliest = Math.max(this.#earliest, clock.monotonic() + traits.resizePause);
    this.#soon();
  }

  /** Redraws the region after other output overwrote it. */
  redraw(): void {
    this.#isStale = true;
    this.#soon();
  }

  /** Draws the region at the cursor, leaving the old one in place, after other output below it. */
  forget(): void {
    this.#forgetShown();
    this.#isNew = true;
    this.#soon();
  }

  /** Erases the region, ends an open line, and queues all output until `resume`. The cursor is on an empty row. */
  suspend(): void {
    if (!this.#isSuspended) void this.#write(this.#lastBytes(), true);
    this.#isSuspended = true;
  }

  resume(): void {
    this.#isSuspended = false;
    this.#isNew = true;
    this.#soon();
  }

  /** Like `suspend`, but returns the bytes, for a process that is about to end. */
  abandon(): string {
    const bytes = this.#isSuspended ? '' : this.#lastBytes();
    this.#isSuspended = true;
    return bytes;
  }

  /** Asks for an update: at once, but 33 ms after the last one at the earliest, and not while the terminal is slow. */
  #soon(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    // Never synchronously, so that several requests become one update.
    queueMicrotask(() => this.#run());
  }

  #run(): void {
    const { clock } = this.#options;
    const again = () => this.#run();
    if (this.#isSuspended) {
      this.#isAsked = false;
      return;
    }
    // It may be later than when the update was asked for.
    const wait = this.#earliest - clock.monotonic();
    if (wait > 0) return void clock.timer(wait, again);
    if (this.#slow !== undefined) return void this.#slow.then(again);
    this.#isAsked = false;
    this.#earliest = clock.monotonic() + minPause;
    this.#slow = this.#update();
    void this.#slow?.then(() => (this.#slow = undefined));
  }

  #update(): Promise<void> | undefined {
    const next = this.#next();
    // A resize before this, or while the frame was drawn, asks for another update.
    this.#options.checkSize?.();
    const { output } = this.#options;
    if (next.shown.columns !== output.columns() || next.shown.rows !== output.rows()) {
      return undefined;
    }
    this.#setShown(next.shown);
    const { caret } = next.shown.frame;
    return this.#write(next.bytes, caret !== undefined && caret.isHidden !== true);
  }

  #write(bytes: string, showsCursor: boolean): Promise<void> | undefined {
    const { output, traits } = this.#options;
    const aside = this.#aside;
    this.#aside = '';
    if (bytes === '') return aside === '' ? undefined : output.write(aside);
    const update = `${hideCursor}${bytes}${showsCursor ? showCursor : ''}`;
    return output.write(aside + (traits.synchronized ? beginUpdate + update + endUpdate : update));
  }

  /** The bytes that bring the screen up to date, empty if nothing has changed; and what it shows then. */
  #next(): { readonly bytes: string; readonly shown: Shown } {
    const { output, traits } = this.#options;
    const columns = output.columns();
    const rows = output.rows();
    const before = this.#shown;
    const isRepaint = this.#isStale || columns !== before.columns || rows !== before.rows;
    const isChanged = isRepaint || this.#isNew;
    if (!isChanged && this.#text === '') return { bytes: '', shown: before };
    const way = isRepaint ? toTextAfterResize(before, { columns, rows }, traits) : undefined;
    if (way !== undefined && isOpen(before.line) && !isOpen(way.line)) {
      this.#stranded = shownPreview(before);
    }
    // What a row that is out of reach shows of it is left out.
    const text =
      this.#stranded !== '' && this.#text.startsWith(this.#stranded)
        ? this.#text.slice(this.#stranded.length).replace(/^ *\n?/, '')
        : this.#text;
    const line = advanceLine(way?.line ?? before.line, text, columns);
    const hasOpenLine = isOpen(line);
    const frame =
      isChanged || hasOpenLine !== isOpen(before.line)
        ? fitFrame(this.#draw({ columns, rows, hasOpenLine }), rows)
        : before.frame;
    const shown = { frame, line, columns, rows };
    const bytes =
      way === undefined
        ? paint(before, text, shown)
        : way.output + textBytes(text) + drawFrame(shown);
    return { bytes, shown };
  }

  /** After this the bytes of `#next` have to be written. */
  #setShown(shown: Shown): void {
    this.#shown = shown;
    if (this.#text !== '') this.#stranded = '';
    this.#text = '';
    this.#isNew = false;
    this.#isStale = false;
  }

  /** The bytes that write pending text, erase the region and end an open line. */
  #lastBytes(): string {
    const { bytes, shown } = this.#next();
    this.#setShown(shown);
    const hadOpenLine = isOpen(shown.line);
    this.#forgetShown();
    this.#isLineEnded ||= hadOpenLine;
    return `${bytes}${toText(shown)}${hadOpenLine ? '\r\n' : ''}`;
  }

  /** Leaves the shown rows in place as ordinary output. */
  #forgetShown(): void {
    this.#shown = { ...this.#shown, frame: { rows: [] }, line: emptyLine };
  }
}
