/** Milliseconds between two updates. */
const minPause = 33;

/** Throttles redraws. It has no timer while there is nothing to draw. */
export interface Pace {
  /** Requests an update: at once, but at least 33 ms after the last one, and not while the terminal is slow. */
  soon(): void;
  /** Requests an update after a pause without updates. */
  after(milliseconds: number): void;
  /** If the terminal is slow: resolves when it has accepted the last update. */
  slowness(): Promise<void> | undefined;
  /**
   * Resolves when a requested update would be done at once; undefined if that is now. With `skipsOne`, the update after
   * that.
   */
  nextUpdate(skipsOne?: boolean): Promise<void> | undefined;
  end(): void;
}

export interface PaceClock {
  /** Milliseconds. */
  monotonic(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Sleeps until `due`, which may change meanwhile. */
async function sleepUntil(due: () => number, clock: PaceClock, signal: AbortSignal): Promise<void> {
  for (let wait = due() - clock.monotonic(); wait > 0; wait = due() - clock.monotonic()) {
    await clock.sleep(wait, signal);
  }
}

const throwUnlessAborted = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error;
};

/** Not again if another update comes first: many of them must not keep text waiting. */
function turnAt(
  due: number,
  clock: PaceClock,
  signal: AbortSignal,
  slowness: () => Promise<void> | undefined,
): Promise<void> | undefined {
  const wait = due - clock.monotonic();
  if (wait <= 0) return slowness();
  return clock.sleep(wait, signal).then(slowness, () => undefined);
}

/** `look` is called directly before an update and may still request a pause. */
export function createPace(
  clock: PaceClock,
  update: () => Promise<void> | undefined,
  look: () => void = () => {},
): Pace {
  const ending = new AbortController();
  let next = Number.NEGATIVE_INFINITY;
  let isAsked = false;
  let slow: Promise<void> | undefined;

  const run = async () => {
    // Never synchronously, so that several requests become one update.
    await Promise.resolve();
    do {
      await sleepUntil(() => next, clock, ending.signal);
      await slow;
      if (ending.signal.aborted) return;
      look();
    } while (next > clock.monotonic());
    isAsked = false;
    next = clock.monotonic() + minPause;
    slow = update();
    void slow?.then(() => (slow = undefined));
  };
  const soon = () => {
    if (isAsked || ending.signal.aborted) return;
    isAsked = true;
    run().catch(throwUnlessAborted(ending.signal));
  };
  const slowness = () => slow;
  const turn = (due: number) => turnAt(due, clock, ending.signal, slowness);
  return {
    soon,
    after(milliseconds) {
      next = Math.max(next, clock.monotonic() + milliseconds);
      soon();
    },
    slowness,
    nextUpdate: (skipsOne = false) => turn(skipsOne ? next + minPause : next),
    end: () => ending.abort(),
  };
}
