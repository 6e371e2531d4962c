import type { ProgramClock } from '../../clock.ts';

/** Checks a file once a second. */
export interface FileWatch {
  /** Aborts with what the check threw. */
  readonly broken: AbortSignal;
  /** Looks now. Never throws: see `broken`. */
  look(): void;
  /** @throws what the check threw */
  throwIfBroken(): void;
  end(): void;
}

/** Milliseconds from one look to the next. */
const pause = 1000;

/** @param check throws for a file that can no longer be used; it is not called again then */
export function watchFile(check: () => void, clock: Pick<ProgramClock, 'repeat'>): FileWatch {
  const breaking = new AbortController();
  const look = () => {
    if (breaking.signal.aborted) return;
    try {
      check();
    } catch (error) {
      breaking.abort(error);
    }
  };
  return {
    broken: breaking.signal,
    look,
    throwIfBroken: () => breaking.signal.throwIfAborted(),
    end: clock.repeat(pause, look),
  };
}
