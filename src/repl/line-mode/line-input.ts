import type { Clock } from '../../clock.ts';
import type { TerminalDevice } from '../../terminal/device.ts';
import type { Action } from '../action.ts';
import { createSecretReader } from './secret-reader.ts';
import { createLineReader, joinContinued } from './line-reader.ts';
import { createPause } from '../timers.ts';

export interface LineInputOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly dispatch: (action: Action) => void;
  /** What is typed next must not appear. */
  readonly isSecret: () => boolean;
  /** Called before a line is passed on. */
  readonly answered: () => void;
  /** Ends the line that a secret was typed on. */
  readonly endSecretLine: () => void;
}

export interface LineInput {
  /** Begins to read, or goes on. */
  start(): void;
  stop(): void;
  /** Hides what is typed, or shows it again, as the session asks for it now. */
  adjust(): void;
}

/** Lines of a paste follow each other faster than a person types. */
const pastePause = 30;

/** Lines that come at once, as of a paste, are one text; so are lines that end with a backslash. */
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
  return {
    onBytes: (bytes) => (isSecret() ? secret.feed(bytes) : collector.add(reader.feed(bytes))),
    onEnd() {
      collector.end(reader.end());
      dispatch({ type: 'input-ended' });
    },
    onInterrupt() {
      collector.drop();
      interrupt();
    },
  };
}

/** Reads lines from the terminal, which does the editing. */
export function createLineInput(options: LineInputOptions): LineInput {
  const { device } = options;
  const { onBytes, onEnd, onInterrupt } = createListeners(options);
  const adjust = () => device.setRaw(options.isSecret());
  let releases: (() => void)[] = [];
  return {
    adjust,
    start() {
      adjust();
      releases = [device.listen(onBytes, onEnd), device.onInterrupt(onInterrupt)];
    },
    stop() {
      for (const release of releases) release();
      releases = [];
      device.setRaw(false);
    },
  };
}
