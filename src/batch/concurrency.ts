import type { Clock } from '../clock.ts';

/** The permission to run one item. */
export interface Slot {
  /** Reports a response with status 429. @param wait milliseconds of Retry-After; undefined without one */
  rateLimited(wait: number | undefined): void;
  release(isAnswered: boolean): void;
}

/** A 429 halves the limit; a full round of answers raises it by one. A Retry-After delays all new items. */
export interface Concurrency {
  /** Resolves when an item may be sent, or with undefined when `stop` aborts. For one caller at a time. */
  take(stop: AbortSignal): Promise<Slot | undefined>;
  /** Remaining milliseconds of a pause for a Retry-After. */
  pauseRemaining(): number;
}

/** Additive increase, multiplicative decrease, as in TCP's congestion control. */
function createLimit(most: number) {
  let limit = most;
  let answered = 0;
  let decreases = 0;
  return {
    value: () => limit,
    decreases: () => decreases,
    /** @param atStart the decreases when the item started: one burst of 429s lowers the limit only once */
    decrease(atStart: number): void {
      if (atStart !== decreases) return;
      decreases += 1;
      answered = 0;
      limit = Math.max(1, Math.floor(limit / 2));
    },
    countAnswer(): void {
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

/** Resolves when `stop` aborts, or when the function that `listen` receives is called. */
function waitForWake(stop: AbortSignal, listen: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop.removeEventListener('abort', done);
      resolve();
    };
    stop.addEventListener('abort', done);
    listen(done);
  });
}

function createPause(clock: Clock, onPause: (wait: number) => void) {
  let end = Number.NEGATIVE_INFINITY;
  const remaining = () => Math.max(0, end - clock.monotonic());
  return {
    remaining,
    extend(wait: number): void {
      const isNew = remaining() === 0 && wait > 0;
      end = Math.max(end, clock.monotonic() + wait);
      if (isNew) onPause(wait);
    },
  };
}

/** @param most maximum concurrent items @param onPause receives the milliseconds of a new pause */
export function createConcurrency(
  most: number,
  clock: Clock,
  onPause: (wait: number) => void = () => undefined,
): Concurrency {
  const limit = createLimit(most);
  let running = 0;
  const pause = createPause(clock, onPause);
  let wake: () => void = () => undefined;

  const start = (): Slot => {
    const decreasesAtStart = limit.decreases();
    running += 1;
    return {
      rateLimited(wait) {
        if (wait !== undefined) pause.extend(wait);
        limit.decrease(decreasesAtStart);
      },
      release(isAnswered) {
        running -= 1;
        if (isAnswered) limit.countAnswer();
        wake();
      },
    };
  };
  return {
    async take(stop) {
      while (!stop.aborted) {
        if (pause.remaining() > 0) await sleepUnless(stop, pause.remaining(), clock);
        else if (running >= limit.value()) await waitForWake(stop, (done) => (wake = done));
        else return start();
      }
      return undefined;
    },
    pauseRemaining: pause.remaining,
  };
}
