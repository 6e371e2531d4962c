import type { Clock } from '../clock.ts';

/** The place of one running item. */
export interface Slot {
  /**
   * The service answered 429.
   * @param wait milliseconds of Retry-After; undefined without one
   */
  rateLimited(wait: number | undefined): void;
  /** Gives the place back. */
  release(isAnswered: boolean): void;
}

/**
 * Limits concurrent items: halved after a 429, one more after a full round of answers, up to the maximum. A Retry-After
 * pauses all of them.
 */
export interface Concurrency {
  /** Resolves when an item may be sent; with undefined when `stop` aborts. For one caller at a time. */
  take(stop: AbortSignal): Promise<Slot | undefined>;
  /** Remaining milliseconds of a pause. */
  waiting(): number;
}

/** The current limit, adapted to 429s and answers. */
function createWindow(most: number) {
  let limit = most;
  let answered = 0;
  let shrinkings = 0;
  return {
    limit: () => limit,
    /** How often it shrank: a 429 of an item started before the last time does not shrink it again. */
    shrinkings: () => shrinkings,
    shrink(begun: number): void {
      if (begun !== shrinkings) return;
      shrinkings += 1;
      answered = 0;
      limit = Math.max(1, Math.floor(limit / 2));
    },
    grow(): void {
      if (limit < most) answered += 1;
      if (answered < limit) return;
      limit += 1;
      answered = 0;
    },
  };
}

async function sleepUnless(stop: AbortSignal, wait: number, clock: Clock): Promise<void> {
  try {
    await clock.sleep(wait, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

/** Resolves when what `listen` is given is called, or `stop` aborts. */
function waitForWake(stop: AbortSignal, listen: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop.removeEventListener('abort', done);
      resolve();
    };
    stop.addEventListener('abort', done);
    listen(done);
  });
}

/** Pauses new items while the service requests it. */
function createGate(clock: Clock, onPause: (wait: number) => void) {
  let end = Number.NEGATIVE_INFINITY;
  const waiting = () => Math.max(0, end - clock.monotonic());
  return {
    waiting,
    pause(wait: number): void {
      const isNew = waiting() === 0 && wait > 0;
      end = Math.max(end, clock.monotonic() + wait);
      if (isNew) onPause(wait);
    },
  };
}

/**
 * @param most maximum concurrent items
 * @param onPause is called with the milliseconds of each pause that begins
 */
export function createConcurrency(
  most: number,
  clock: Clock,
  onPause: (wait: number) => void = () => undefined,
): Concurrency {
  const window = createWindow(most);
  let running = 0;
  const gate = createGate(clock, onPause);
  let wake: () => void = () => undefined;

  const open = (): Slot => {
    const begun = window.shrinkings();
    running += 1;
    return {
      rateLimited(wait) {
        if (wait !== undefined) gate.pause(wait);
        window.shrink(begun);
      },
      release(isAnswered) {
        running -= 1;
        if (isAnswered) window.grow();
        wake();
      },
    };
  };
  return {
    async take(stop) {
      while (!stop.aborted) {
        if (gate.waiting() > 0) await sleepUnless(stop, gate.waiting(), clock);
        else if (running >= window.limit()) await waitForWake(stop, (done) => (wake = done));
        else return open();
      }
      return undefined;
    },
    waiting: gate.waiting,
  };
}
