import type { Clock } from '../clock.ts';

/** The place of one item among those that are asked at the same time. */
export interface Slot {
  /**
   * The service said that there are too many requests.
   * @param wait milliseconds that it asked for; undefined where it named none
   */
  rateLimited(wait: number | undefined): void;
  /** Gives the place back. */
  release(isAnswered: boolean): void;
}

/**
 * How many items are asked at the same time: half as many after a 429, one more after as many answers as there
 * are places, never more than allowed. A wait that the service asks for holds back all of them.
 */
export interface Concurrency {
  /** Resolves when an item may be asked; with undefined when `stop` aborts. For one caller at a time. */
  take(stop: AbortSignal): Promise<Slot | undefined>;
  /** Milliseconds for which nothing new is asked. */
  waiting(): number;
}

/** How many may be asked at the same time, by what became of those that were. */
function createWindow(most: number) {
  let limit = most;
  let answered = 0;
  let shrinkings = 0;
  return {
    limit: () => limit,
    /** How often it shrank so far: of what was begun before it last did, no 429 shrinks it again. */
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
function wakened(stop: AbortSignal, listen: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop.removeEventListener('abort', done);
      resolve();
    };
    stop.addEventListener('abort', done);
    listen(done);
  });
}

/** Holds back what is new while the service wants a pause. */
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
 * @param most items asked at the same time
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
        else if (running >= window.limit()) await wakened(stop, (done) => (wake = done));
        else return open();
      }
      return undefined;
    },
    waiting: gate.waiting,
  };
}
