/** Signals that end natter: it cleans up, then dies of the same signal, so that shells and loops see it. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndingSignal = (typeof endingSignals)[number];

/** Exit codes shells give to a death by signal; used where the platform cannot re-raise one. */
export const signalExitCodes: Readonly<Record<EndingSignal, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

/** The reason of an aborted run: a signal asked natter to stop. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly signal: EndingSignal;

  constructor(signal: EndingSignal) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

export interface SignalWatch {
  /** Stops listening and dies of `signal`; on Windows, exits with the code that stands for it. */
  reraise(signal: EndingSignal): void;
  stop(): void;
}

/**
 * Calls `onSignal` at the first ending signal. A second one does not wait for anything: the process dies of it
 * at once.
 */
export function watchSignals(
  process: NodeJS.Process,
  onSignal: (interruption: Interruption) => void,
): SignalWatch {
  let asked = false;
  const listeners = new Map<EndingSignal, () => void>();
  const stop = () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
  const reraise = (signal: EndingSignal) => {
    stop();
    if (process.platform === 'win32') process.exitCode = signalExitCodes[signal];
    else process.kill(process.pid, signal);
  };
  for (const signal of endingSignals) {
    const listener = () => {
      if (asked) {
        reraise(signal);
        return;
      }
      asked = true;
      onSignal(new Interruption(signal));
    };
    listeners.set(signal, listener);
    process.on(signal, listener);
  }
  return { reraise, stop };
}
