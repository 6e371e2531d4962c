/** A signal that several waits can share, one after the other. */
export interface WakeUp {
  /** Resolves at the next `wake`. */
  next(): Promise<void>;
  wake(): void;
}

export function createWakeUp(): WakeUp {
  let wake: () => void = () => undefined;
  return {
    next: () => new Promise((resolve) => (wake = resolve)),
    wake: () => wake(),
  };
}
