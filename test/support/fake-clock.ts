import { setImmediate as tick } from 'node:timers/promises';
import type { Clock, ProgramClock } from '../../src/clock.ts';

/** A clock that only `advance` moves. */
export type FakeClock = ReturnType<typeof createFakeClock>;

/** Starts at the wall-clock time `date`. */
export function createFakeClock(date = new Date('2026-11-20T12:00:00Z')) {
  const begin = date.getTime();
  let elapsed = 0;
  const repeats = new Set<{ end: number; readonly wake: () => void }>();
  const sleeps = new Set<{ readonly end: number; readonly wake: () => void }>();
  const timer = (milliseconds: number, action: () => void) => {
    const wake = (): void => {
      sleeps.delete(waiting);
      action();
    };
    const waiting = { end: elapsed + milliseconds, wake };
    sleeps.add(waiting);
    return () => void sleeps.delete(waiting);
  };
  const clock: ProgramClock = {
    monotonic: () => elapsed,
    date: () => new Date(begin + elapsed),
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const stop = timer(milliseconds, () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
        const abort = (): void => {
          stop();
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
    timer,
    repeat(milliseconds, action) {
      const wake = (): void => {
        repeat.end += milliseconds;
        action();
      };
      const repeat = { end: elapsed + milliseconds, wake };
      repeats.add(repeat);
      return () => void repeats.delete(repeat);
    },
  };
  return {
    ...clock,
    /** Moves the time, ends the sleeps that are due, in order, and lets the code after each run. */
    async advance(milliseconds: number): Promise<void> {
      const target = elapsed + milliseconds;
      for (;;) {
        const [next] = [...sleeps, ...repeats].sort((one, other) => one.end - other.end);
        if (next === undefined || next.end > target) break;
        elapsed = next.end;
        next.wake();
        await tick();
      }
      elapsed = Math.max(elapsed, target);
    },
    /** Number of pending sleeps. */
    sleeping: () => sleeps.size,
  };
}

/** The timer of a clock whose sleep a test has changed. */
export function timerOf(sleep: Clock['sleep']): Clock['timer'] {
  return (milliseconds, action) => {
    const stopped = new AbortController();
    sleep(milliseconds, stopped.signal).then(action, () => undefined);
    return () => stopped.abort();
  };
}
