import type { Clock } from '../../clock.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import type { Action } from '../state.ts';
import { editActions } from '../composer/edit-actions.ts';
import { chordOf, type KeyEvent } from '../composer/keys/key-event.ts';
import { KeyParser } from '../composer/keys/key-parser.ts';
import { contentOf } from '../composer/paste.ts';
import { clearBuffer, createBuffer, insert } from '../composer/text-buffer.ts';
import { createDebounce } from '../timers.ts';
import { LineEditor, type LineEditorOptions } from './line-editor.ts';

/** Splits the input of a cooked terminal into lines, whose UTF-8 bytes may arrive split anywhere. */
export function createLineReader() {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  return {
    /** @returns the completed lines without line ends */
    feed(bytes: Uint8Array): readonly string[] {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines;
    },
    /** The text after the last line end; undefined if empty. */
    end(): string | undefined {
      const last = rest + decoder.decode();
      rest = '';
      return last === '' ? undefined : last;
    },
  };
}

/** Joins continued lines: a backslash at the end of a line becomes a line end. */
export function joinContinued(lines: readonly string[]): {
  readonly whole: readonly string[];
  /** The last lines, if their continuation is missing. */
  readonly open: readonly string[];
} {
  const whole: string[] = [];
  let open: string[] = [];
  for (const line of lines) {
    if (line.endsWith('\\')) {
      open.push(line.slice(0, -1));
    } else {
      whole.push([...open, line].join('\n'));
      open = [];
    }
  }
  return { whole, open: open.map((line) => `${line}\\`) };
}

/** Milliseconds. Pasted lines follow each other faster than typed ones. */
const pastePause = 30;

export interface LineInputOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly dispatch: (action: Action) => void;
  /** Whether typed text must not be shown. */
  readonly isSecret: () => boolean;
  /** Called before a line is dispatched. */
  readonly onEntered: () => void;
  /** Called at the end of a hidden line, which the terminal has not echoed. */
  readonly endSecretLine: () => void;
  /** If undefined, the terminal edits the lines. */
  readonly editing?: Omit<
    LineEditorOptions,
    'onLine' | 'onUnfinished' | 'onCleared' | 'onInterrupt' | 'onEnd'
  >;
}

/** Reads lines from the terminal: the lines of a paste, and lines that end with a backslash, are one text. */
export class LineInput {
  readonly #options: LineInputOptions;
  readonly #editor: LineEditor | undefined;
  readonly #reader = createLineReader();
  readonly #secretKeys = new KeyParser();
  #secret = createBuffer();
  #collected: readonly string[] = [];
  readonly #debounce: ReturnType<typeof createDebounce>;
  #releases: readonly (() => void)[] = [];

  constructor(options: LineInputOptions) {
    const { clock, editing } = options;
    this.#options = options;
    this.#debounce = createDebounce(clock, pastePause, () => this.#pass());
    this.#editor =
      editing &&
      new LineEditor({
        ...editing,
        onLine: (text) => this.#collect([text]),
        onUnfinished: () => this.#debounce.cancel(),
        onCleared: () => this.#discard(),
        onInterrupt: () => this.#interrupt(),
        onEnd: () => this.#end(),
      });
  }

  /** Starts or resumes reading. */
  start(): void {
    const { device } = this.#options;
    this.adjust();
    this.#releases = [
      device.listen(
        (bytes) => this.#feed(bytes),
        () => this.#end(),
      ),
      device.onInterrupt(() => this.#interrupt()),
      device.onContinue(() => {
        // Off first: the shell has changed the mode while natter was suspended, which Node does not notice.
        device.setRaw(false);
        this.adjust();
      }),
      device.onExit(() => device.setRaw(false)),
    ];
  }

  stop(): void {
    for (const release of this.#releases) release();
    this.#releases = [];
    this.#editor?.stop();
    this.#options.device.setRaw(false);
  }

  /** Turns the terminal's echo off while `isSecret`. */
  adjust(): void {
    const { device, isSecret } = this.#options;
    device.setRaw(this.#editor !== undefined || isSecret());
  }

  /** Shows the typed text from `column` on, if natter edits the lines. */
  showTyped(column: number): void {
    this.#editor?.show(column);
  }

  hideTyped(): void {
    this.#editor?.hide();
  }

  /** Whether the typed text is searched for, not entered. */
  isSearching(): boolean {
    return this.#editor?.isSearching() ?? false;
  }

  #feed(bytes: Uint8Array): void {
    if (this.#options.isSecret()) {
      for (const event of this.#secretKeys.feed(bytes)) this.#onSecretKey(event);
    } else if (this.#editor !== undefined) this.#editor.feed(bytes);
    // A terminal that edits lines itself passes on arrow keys as escape sequences.
    else this.#collect(this.#reader.feed(bytes).map(sanitize));
  }

  #collect(lines: readonly string[]): void {
    this.#collected = [...this.#collected, ...lines];
    this.#debounce.restart();
  }

  #pass(): void {
    const { whole, open } = joinContinued(this.#collected);
    this.#collected = open;
    if (whole.length > 0) this.#enter(whole.join('\n'));
  }

  #enter(text: string): void {
    const { onEntered, dispatch, clock } = this.#options;
    onEntered();
    dispatch({ type: 'line-entered', text, now: clock.monotonic() });
  }

  #discard(): void {
    this.#collected = [];
    this.#debounce.cancel();
  }

  #interrupt(): void {
    this.#discard();
    this.#options.dispatch({ type: 'interrupted', now: this.#options.clock.monotonic() });
  }

  #end(): void {
    this.#debounce.cancel();
    const last = this.#reader.end();
    if (last !== undefined) this.#collected = [...this.#collected, last];
    this.#pass();
    this.#options.dispatch({ type: 'input-ended' });
  }

  /** A key of a hidden line, which the terminal does not show. */
  #onSecretKey(event: KeyEvent): void {
    if (event.type !== 'key') {
      this.#secret = insert(this.#secret, event.text.replaceAll(/\s+/g, ' '));
      return;
    }
    const chord = chordOf(event);
    if (chord === 'backspace' || chord === 'ctrl+h') {
      this.#secret = editActions['delete-left'](this.#secret);
    } else if (chord === 'ctrl+u') this.#secret = clearBuffer(this.#secret);
    else if (/^(?:enter|ctrl\+[jcd])$/.test(chord)) {
      const text = contentOf(this.#secret);
      this.#secret = clearBuffer(this.#secret);
      this.#options.endSecretLine();
      if (/[cd]$/.test(chord)) {
        this.#options.onEntered();
        this.#interrupt();
      } else this.#enter(text);
    }
  }
}
