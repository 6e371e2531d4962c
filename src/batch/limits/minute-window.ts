/** How much of a limit per minute was used in the last minute. Times are monotonic milliseconds. */
export interface MinuteWindow {
  /** The earliest time from `now` on at which `amount` may be used; an amount above the limit counts as the limit. */
  earliest(now: number, amount: number): number;
  use(now: number, amount: number): void;
  /** Adds to what was used; a negative number takes from the latest uses. */
  correct(now: number, difference: number): void;
}

const minute = 60_000;
/** Milliseconds; uses that are closer together are one entry, so that memory does not grow with the limit. */
const resolution = 10;
/** Milliseconds; a use that is late by this much does not delay the ones after it. */
const lateness = 100;
/** Milliseconds; timers are no finer. */
const earliness = 1;

interface Entry {
  readonly from: number;
  last: number;
  amount: number;
}

/** The uses of the last minute, oldest first. */
function createUses() {
  let entries: Entry[] = [];
  let first = 0;
  let sum = 0;
  return {
    sum: () => sum,
    expire(now: number): void {
      for (; first < entries.length; first += 1) {
        const entry = entries[first];
        if (entry === undefined || entry.last > now - minute) break;
        sum -= entry.amount;
      }
      if (first * 2 > entries.length) {
        entries = entries.slice(first);
        first = 0;
      }
      if (entries.length === 0) sum = 0;
    },
    add(now: number, amount: number): void {
      const latest = entries.at(-1);
      if (latest !== undefined && first < entries.length && now - latest.from < resolution) {
        latest.last = now;
        latest.amount += amount;
      } else entries.push({ from: now, last: now, amount });
      sum += amount;
    },
    /** Takes `amount` from the latest uses. */
    remove(amount: number): void {
      let rest = Math.min(sum, amount);
      for (let at = entries.length - 1; rest > 0 && at >= first; at -= 1) {
        const entry = entries[at];
        if (entry === undefined) break;
        const taken = Math.min(rest, entry.amount);
        entry.amount -= taken;
        sum -= taken;
        rest -= taken;
      }
    },
    /** The time at which so many uses have expired that their sum is `excess` less. */
    expiryOf(excess: number): number {
      let rest = excess;
      let time = Number.NEGATIVE_INFINITY;
      for (let at = first; rest > 0 && at < entries.length; at += 1) {
        const entry = entries[at];
        if (entry === undefined) break;
        rest -= entry.amount;
        time = entry.last + minute;
      }
      return time;
    },
  };
}

/** Spreads uses evenly, and holds the limit in every period of a minute. */
export function createMinuteWindow(limit: number): MinuteWindow {
  const uses = createUses();
  let evenly = Number.NEGATIVE_INFINITY;
  const duration = (amount: number) => (amount / limit) * minute;
  return {
    earliest(now, amount) {
      uses.expire(now);
      const excess = uses.sum() + Math.min(amount, limit) - limit;
      return Math.max(now, uses.expiryOf(excess), evenly - earliness);
    },
    use(now, amount) {
      uses.expire(now);
      uses.add(now, amount);
      evenly = (evenly < now - lateness ? now : evenly) + duration(amount);
    },
    correct(now, difference) {
      uses.expire(now);
      evenly += duration(difference);
      if (difference > 0) uses.add(now, difference);
      else uses.remove(-difference);
    },
  };
}
