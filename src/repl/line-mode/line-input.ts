import type { Clock } from '../../clock.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import type { Action } from '../action.ts';
import { editActions } from '../composer/edit-actions.ts';
import { chordOf, type KeyEvent } from '../composer/keys/key-event.ts';
import { KeyParser } from '../composer/keys/key-parser.ts';
import { contentOf } from '../composer/paste.ts';
import { clearBuffer, createBuffer, insert } from '../composer/text-buffer.ts';
import { createDebounce } from '../timers.ts';
import { createLineEditor, type LineEditor, type LineEditorOptions } from './line-editor.ts';

/** Splits the input of a cooked terminal into lines. */
export interface LineReader {
  /** Takes UTF-8 bytes, split anywhere; returns the completed lines without line ends. */
  feed(bytes: Uint8Array): readonly string[];
  /** The text after the last line end; undefined if empty. */
  end(): string | undefined;
}

export function createLineReader(): LineReader {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  return {
    feed(bytes) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines;
    },
    end() {
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

/** Joins the lines of a paste, and lines that end with a backslash, into one text. */
function createCollector(clock: Clock, pass: (text: string) => void) {
  let collected: readonly string[] = [];
  const passAll = () => {
    const { whole, open } = joinContinued(collected);
    collected = open;
    if (whole.length > 0) pass(whole.join('\n'));
  };
  const debounce = createDebounce(clock, pastePause, passAll);
  return {
    add(lines: readonly string[]): void {
      collected = [...collected, ...lines];
      debounce.restart();
    },
    /** Waits for a further line. */
    hold: () => debounce.cancel(),
    discard(): void {
      collected = [];
      debounce.cancel();
    },
    end(last: string | undefined): void {
      debounce.cancel();
      if (last !== undefined) collected = [...collected, last];
      passAll();
    },
  };
}

interface SecretReaderOptions {
  readonly enter: (text: string) => void;
  readonly cancel: () => void;
}

/** Reads hidden lines from a raw terminal. */
function createSecretReader({ enter, cancel }: SecretReaderOptions) {
  const parser = new KeyParser();
  let buffer = createBuffer();
  const finish = (act: (text: string) => void) => {
    const text = contentOf(buffer);
    buffer = clearBuffer(buffer);
    act(text);
  };
  const onKey = (event: KeyEvent) => {
    if (event.type !== 'key') {
      buffer = insert(buffer, event.text.replaceAll(/\s+/g, ' '));
      return;
    }
    const chord = chordOf(event);
    if (chord === 'enter' || chord === 'ctrl+j') finish(enter);
    if (chord === 'ctrl+c' || chord === 'ctrl+d') finish(cancel);
    if (chord === 'backspace' || chord === 'ctrl+h') buffer = editActions['delete-left'](buffer);
    if (chord === 'ctrl+u') buffer = clearBuffer(buffer);
  };
  return { feed: (bytes: Uint8Array) => parser.feed(bytes).forEach(onKey) };
}

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

interface Listeners {
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onEnd: () => void;
  readonly onInterrupt: () => void;
  readonly editor: LineEditor | undefined;
}

function createListeners(options: LineInputOptions): Listeners {
  const { clock, dispatch, onEntered, isSecret } = options;
  const reader = createLineReader();
  const enter = (text: string) => {
    onEntered();
    dispatch({ type: 'line-entered', text, now: clock.monotonic() });
  };
  const interrupt = () => dispatch({ type: 'interrupted', now: clock.monotonic() });
  const collector = createCollector(clock, enter);
  const afterSecret = (act: () => void) => {
    options.endSecretLine();
    onEntered();
    act();
  };
  const secret = createSecretReader({
    enter: (text) => afterSecret(() => enter(text)),
    cancel: () => afterSecret(interrupt),
  });
  const onEnd = () => {
    collector.end(reader.end());
    dispatch({ type: 'input-ended' });
  };
  const onInterrupt = () => {
    collector.discard();
    interrupt();
  };
  const onLine = (text: string) => collector.add([text]);
  const onUnfinished = () => collector.hold();
  const onCleared = () => collector.discard();
  const collecting = { onLine, onUnfinished, onCleared, onInterrupt, onEnd };
  const editor = options.editing && createLineEditor({ ...options.editing, ...collecting });
  // A terminal that edits lines itself passes on arrow keys as escape sequences.
  const lines = { feed: (bytes: Uint8Array) => collector.add(reader.feed(bytes).map(sanitize)) };
  return {
    onBytes: (bytes) => (isSecret() ? secret : (editor ?? lines)).feed(bytes),
    onEnd,
    onInterrupt,
    editor,
  };
}

export interface LineInput {
  /** Starts or resumes reading. */
  start(): void;
  stop(): void;
  /** Turns the terminal's echo off while `isSecret`. */
  adjust(): void;
  /** Shows the typed text from `column` on, if natter edits the lines. */
  showTyped(column: number): void;
  hideTyped(): void;
  /** The typed text is searched for, not entered. */
  isSearching(): boolean;
}

export function createLineInput(options: LineInputOptions): LineInput {
  const { device } = options;
  const { onBytes, onEnd, onInterrupt, editor } = createListeners(options);
  const adjust = () => device.setRaw(editor !== undefined || options.isSecret());
  const resume = () => {
    // Off first: the shell has changed the mode while natter was suspended, which Node does not notice.
    device.setRaw(false);
    adjust();
  };
  let releases: (() => void)[] = [];
  return {
    adjust,
    showTyped: (column) => editor?.show(column),
    hideTyped: () => editor?.hide(),
    isSearching: () => editor?.isSearching() ?? false,
    start() {
      adjust();
      releases = [
        device.listen(onBytes, onEnd),
        device.onInterrupt(onInterrupt),
        device.onContinue(resume),
        device.onExit(() => device.setRaw(false)),
      ];
    },
    stop() {
      for (const release of releases) release();
      releases = [];
      editor?.stop();
      device.setRaw(false);
    },
  };
}
