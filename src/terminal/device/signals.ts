/** Signals that end natter. It cleans up, then re-raises the signal, so that shells and loops notice it. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
export type EndingSignal = (typeof endingSignals)[number];

/** Exit codes that shells report for a process ended by a signal, for platforms that cannot re-raise one. */
const signalExitCodes: Readonly<Record<EndingSignal, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGQUIT: 131,
};

/** The abort reason of a run that a signal ended. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly signal: EndingSignal;

  constructor(signal: EndingSignal) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

export interface SignalWatch {
  /** Stops listening and ends the process with `signal`; on Windows, exits with the corresponding code. */
  reraise(signal: EndingSignal): void;
  stop(): void;
  /** Handles Ctrl-C, which then does not end natter. @returns a function that removes the handler */
  handleInterrupts(listener: () => void): () => void;
  /** Called directly before a signal ends the process. @returns a function that removes the listener */
  beforeSignalExit(act: () => void): () => void;
}

function listen(process: NodeJS.Process, arrived: (signal: EndingSignal) => void): () => void {
  for (const signal of endingSignals) process.on(signal, arrived);
  return () => {
    for (const signal of endingSignals) process.off(signal, arrived);
  };
}

/** Calls `onSignal` at the first ending signal. A second one ends the process at once. */
export function watchSignals(
  process: NodeJS.Process,
  onSignal: (interruption: Interruption) => void,
): SignalWatch {
  let asked = false;
  const lastActs = new Set<() => void>();
  let taker: (() => void) | undefined;
  let stop: () => void = () => undefined;
  const reraise = (signal: EndingSignal) => {
    stop();
    for (const act of lastActs) act();
    if (process.platform !== 'win32') return void process.kill(process.pid, signal);
    // On platforms without signals the process must exit here: open handles would keep it alive.
    // oxlint-disable-next-line unicorn/no-process-exit
    process.exit(signalExitCodes[signal]);
  };
  const arrived = (signal: EndingSignal) => {
    if (signal === 'SIGINT' && taker !== undefined) return taker();
    if (asked) return reraise(signal);
    asked = true;
    onSignal(new Interruption(signal));
  };
  stop = listen(process, arrived);
  return {
    reraise,
    stop,
    handleInterrupts(listener) {
      taker = listener;
      return () => {
        if (taker === listener) taker = undefined;
      };
    },
    beforeSignalExit(act) {
      lastActs.add(act);
      return () => void lastActs.delete(act);
    },
  };
}
