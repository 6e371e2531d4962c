import type { Clock } from '../../clock.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import type { Action } from '../state/action.ts';
import { createLineEditor, type LineEditor, type LineEditorOptions } from './line-editor.ts';
import { createSecretReader } from './secret-reader.ts';
import { createLineReader, joinContinued } from './line-reader.ts';
import { createPause } from '../session/timers.ts';

export interface LineInputOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly dispatch: (action: Action) => void;
  /** Whether typed text must not be shown. */
  readonly isSecret: () => boolean;
  /** Called before a line is dispatched. */
  readonly answered: () => void;
  /** Ends the line after a hidden entry. */
  readonly endSecretLine: () => void;
  /** If undefined, the terminal edits the lines. */
  readonly editing?: Omit<LineEditorOptions, 'onLine' | 'onInterrupt' | 'onEnd'>;
}

export interface LineInput {
  /** Starts or resumes reading. */
  start(): void;
  stop(): void;
  /** Updates the terminal's echo to `isSecret`. */
  adjust(): void;
  /** Shows the typed text from `column` on, if natter edits the lines. */
  showTyped(column: number): void;
  hideTyped(): void;
}

/** Milliseconds. Pasted lines follow each other faster than typed ones. */
const pastePause = 30;

/** Joins lines of one paste, and lines that end with a backslash, into one text. */
function createCollector(clock: Clock, pass: (text: string) => void) {
  let collected: readonly string[] = [];
  const passAll = () => {
    const { whole, open } = joinContinued(collected);
    collected = open;
    if (whole.length > 0) pass(whole.join('\n'));
  };
  const pause = createPause(clock, pastePause, passAll);
  return {
    add(lines: readonly string[]): void {
      collected = [...collected, ...lines];
      pause.restart();
    },
    drop(): void {
      collected = [];
      pause.cancel();
    },
    end(last: string | undefined): void {
      pause.cancel();
      if (last !== undefined) collected = [...collected, last];
      passAll();
    },
  };
}

interface Listeners {
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onEnd: () => void;
  readonly onInterrupt: () => void;
  readonly editor: LineEditor | undefined;
}

function createListeners(options: LineInputOptions): Listeners {
  const { clock, dispatch, answered, isSecret } = options;
  const reader = createLineReader();
  const enter = (text: string) => {
    answered();
    dispatch({ type: 'line-entered', text, now: clock.monotonic() });
  };
  const interrupt = () => dispatch({ type: 'interrupted', now: clock.monotonic() });
  const collector = createCollector(clock, enter);
  const afterSecret = (act: () => void) => {
    options.endSecretLine();
    answered();
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
    collector.drop();
    interrupt();
  };
  const onLine = (text: string) => collector.add([text]);
  const editor =
    options.editing && createLineEditor({ ...options.editing, onLine, onInterrupt, onEnd });
  // A terminal that edits lines itself passes on arrow keys as escape sequences.
  const lines = { feed: (bytes: Uint8Array) => collector.add(reader.feed(bytes).map(sanitize)) };
  return {
    onBytes: (bytes) => (isSecret() ? secret : (editor ?? lines)).feed(bytes),
    onEnd,
    onInterrupt,
    editor,
  };
}

export function createLineInput(options: LineInputOptions): LineInput {
  const { device } = options;
  const { onBytes, onEnd, onInterrupt, editor } = createListeners(options);
  const adjust = () => device.setRaw(editor !== undefined || options.isSecret());
  const resume = () => {
    // Off first: while natter was stopped, the shell changed the mode without Node's knowledge.
    device.setRaw(false);
    adjust();
  };
  let releases: (() => void)[] = [];
  return {
    adjust,
    showTyped: (column) => editor?.show(column),
    hideTyped: () => editor?.hide(),
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
