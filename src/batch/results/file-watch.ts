import type { ProgramClock } from '../../clock.ts';

/** Checks a file once per second. */
export interface FileWatch {
  /** Aborts with the error of the check. */
  readonly broken: AbortSignal;
  /** Checks now. Never throws, see `broken`. */
  check(): void;
  /** @throws the error of the check */
  throwIfBroken(): void;
  end(): void;
}

/** Milliseconds between two checks. */
const interval = 1000;

/** @param checkFile throws if the file cannot be used any more; is not called again then */
export function watchFile(checkFile: () => void, clock: ProgramClock): FileWatch {
  const controller = new AbortController();
  const { signal: broken } = controller;
  const check = () => {
    if (broken.aborted) return;
    try {
      checkFile();
    } catch (error) {
      controller.abort(error);
    }
  };
  return {
    broken,
    check,
    throwIfBroken: () => broken.throwIfAborted(),
    end: clock.repeat(interval, check),
  };
}
