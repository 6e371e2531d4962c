import type { Clock } from '../clock.ts';

/** The client's time during a replay: it passes `speed` times as fast as real time. */
export interface ReplayClock extends Clock {
  /** Resolves when `monotonic` has reached this moment. @throws the signal's reason when it aborts */
  until(moment: number, signal: AbortSignal): Promise<void>;
  /** Sets `date`, which continues from there. */
  setDate(date: Date): void;
}

/** Events before signals and the reader of the output get a turn. */
const eventsPerTurn = 200;

/** With a `speed` of `Infinity`, nothing waits. */
export function createReplayClock(clock: Clock, speed: number): ReplayClock {
  return speed === Number.POSITIVE_INFINITY ? createInstantClock(clock) : scale(clock, speed);
}

/** A wall clock that can be set. */
function createDates(clock: Clock, monotonic: () => number) {
  let difference = clock.date().getTime() - monotonic();
  return {
    date: () => new Date(monotonic() + difference),
    setDate: (date: Date) => void (difference = date.getTime() - monotonic()),
  };
}

function scale(clock: Clock, speed: number): ReplayClock {
  const start = clock.monotonic();
  const monotonic = () => (clock.monotonic() - start) * speed;
  const sleep: Clock['sleep'] = (milliseconds, signal) => clock.sleep(milliseconds / speed, signal);
  return {
    monotonic,
    sleep,
    timer: (milliseconds, action) => clock.timer(milliseconds / speed, action),
    ...createDates(clock, monotonic),
    async until(moment, signal) {
      signal.throwIfAborted();
      const wait = moment - monotonic();
      if (wait > 0) await sleep(wait, signal);
    },
  };
}

/** Never waits, but shows the recorded times. A sleep ends when the replay is idle, so it measures no time limits. */
function createInstantClock(clock: Clock): ReplayClock {
  let now = 0;
  let events = 0;
  const monotonic = () => now;
  const reach = (moment: number) => void (now = Math.max(now, moment));
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    const end = now + milliseconds;
    let before: number;
    do {
      before = events;
      await clock.sleep(0, signal);
    } while (events !== before);
    reach(end);
  };
  return {
    monotonic,
    sleep,
    timer(milliseconds, action) {
      const stopped = new AbortController();
      sleep(milliseconds, stopped.signal).then(action, () => undefined);
      return () => stopped.abort();
    },
    ...createDates(clock, monotonic),
    async until(moment, signal) {
      signal.throwIfAborted();
      events += 1;
      if (events % eventsPerTurn === 0) await clock.sleep(0, signal);
      reach(moment);
    },
  };
}
