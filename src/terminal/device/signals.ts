/** Signals that end natter. It cleans up, then re-raises the signal, so that shells and loops notice it. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
export type EndingSignal = (typeof endingSignals)[number];

/** Exit codes that shells report for a process ended by a signal, for processes that cannot re-raise one. */
export const signalExitCodes: Readonly<Record<EndingSignal, number>> = {
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

export type SignalWatch = ReturnType<typeof watchSignals>;

/** Calls `onSignal` at the first ending signal. A second one ends the process at once. */
export function watchSignals(
  process: NodeJS.Process,
  onSignal: (interruption: Interruption) => void,
) {
  let asked = false;
  const lastActs = new Set<() => void>();
  const handlers = new Map<EndingSignal, () => void>();
  const stop = () => {
    for (const signal of endingSignals) process.off(signal, arrived);
  };
  /** Stops listening and ends the process with `signal`; on Windows and as process 1, exits with the corresponding code. */
  const reraise = (signal: EndingSignal): void => {
    stop();
    for (const act of lastActs) act();
    // The first process of a container ignores signals to itself.
    const canBeKilled = process.platform !== 'win32' && process.pid !== 1;
    if (canBeKilled) return void process.kill(process.pid, signal);
    // Open handles would keep the process alive.
    // oxlint-disable-next-line unicorn/no-process-exit
    process.exit(signalExitCodes[signal]);
  };
  const arrived = (signal: EndingSignal) => {
    const handler = handlers.get(signal);
    if (handler !== undefined) return handler();
    if (asked) return reraise(signal);
    asked = true;
    onSignal(new Interruption(signal));
  };
  for (const signal of endingSignals) process.on(signal, arrived);
  return {
    reraise,
    stop,
    /** Handles a signal, which then does not end natter. @returns a function that removes the handler */
    handle(signal: 'SIGINT' | 'SIGTERM', listener: () => void) {
      handlers.set(signal, listener);
      return () => {
        if (handlers.get(signal) === listener) handlers.delete(signal);
      };
    },
    /** Called directly before a signal ends the process. @returns a function that removes the listener */
    beforeSignalExit(act: () => void) {
      lastActs.add(act);
      return () => void lastActs.delete(act);
    },
  };
}
