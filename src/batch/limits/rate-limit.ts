import type { Clock } from '../../clock.ts';

/** How much of a limit per minute was used in the last minute. Times are monotonic milliseconds. */
interface MinuteWindow {
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

/** The uses of the last minute, oldest first from `first` on. */
interface Uses {
  entries: Entry[];
  first: number;
  sum: number;
}

function expire(uses: Uses, now: number): void {
  for (; uses.first < uses.entries.length; uses.first += 1) {
    const entry = uses.entries[uses.first];
    if (entry === undefined || entry.last > now - minute) break;
    uses.sum -= entry.amount;
  }
  if (uses.first * 2 > uses.entries.length) {
    uses.entries = uses.entries.slice(uses.first);
    uses.first = 0;
  }
  if (uses.entries.length === 0) uses.sum = 0;
}

function add(uses: Uses, now: number, amount: number): void {
  const latest = uses.entries[Math.max(uses.first, uses.entries.length - 1)];
  if (latest !== undefined && now - latest.from < resolution) {
    latest.last = now;
    latest.amount += amount;
  } else uses.entries.push({ from: now, last: now, amount });
  uses.sum += amount;
}

/** Takes `amount` from the latest uses. */
function remove(uses: Uses, amount: number): void {
  let rest = Math.min(uses.sum, amount);
  for (let at = uses.entries.length - 1; rest > 0 && at >= uses.first; at -= 1) {
    const entry = uses.entries[at];
    if (entry === undefined) break;
    const taken = Math.min(rest, entry.amount);
    entry.amount -= taken;
    uses.sum -= taken;
    rest -= taken;
  }
}

/** The time at which so many uses have expired that their sum is `excess` less. */
function expiryOf({ entries, first }: Uses, excess: number): number {
  let rest = excess;
  let time = Number.NEGATIVE_INFINITY;
  for (let at = first; rest > 0 && at < entries.length; at += 1) {
    const entry = entries[at];
    if (entry === undefined) break;
    rest -= entry.amount;
    time = entry.last + minute;
  }
  return time;
}

/** Spreads uses evenly, and holds the limit in every period of a minute. */
function createMinuteWindow(limit: number): MinuteWindow {
  const uses: Uses = { entries: [], first: 0, sum: 0 };
  let evenly = Number.NEGATIVE_INFINITY;
  const duration = (amount: number) => (amount / limit) * minute;
  return {
    earliest(now, amount) {
      expire(uses, now);
      const excess = uses.sum + Math.min(amount, limit) - limit;
      return Math.max(now, expiryOf(uses, excess), evenly - earliness);
    },
    use(now, amount) {
      expire(uses, now);
      add(uses, now, amount);
      evenly = (evenly < now - lateness ? now : evenly) + duration(amount);
    },
    correct(now, difference) {
      expire(uses, now);
      evenly += duration(difference);
      if (difference > 0) add(uses, now, difference);
      else remove(uses, -difference);
    },
  };
}

/** A limit on requests and tokens, of one process or shared by several. */
export interface RateLimit {
  /**
   * Waits until a request of about `tokens` tokens may be sent, and counts it. Callers get their turns in the order of
   * their calls.
   * @returns false if `stop` aborts first
   */
  acquire(tokens: number, stop: AbortSignal): Promise<boolean>;
  /** Replaces the estimate of a finished request with the tokens that the service reported. */
  settle(estimated: number, real: number): void;
}

/** Limits per minute; undefined is no limit. */
export interface RateLimits {
  readonly requests: number | undefined;
  readonly tokens: number | undefined;
}

/** A wait that ends early. */
interface Wake {
  /** Resolves after `milliseconds`, when `stop` aborts, or at the next `wake`. */
  wait(milliseconds: number, stop: AbortSignal): Promise<void>;
  wake(): void;
}

function createWake(clock: Clock): Wake {
  let waking = new AbortController();
  return {
    async wait(milliseconds, stop) {
      waking = new AbortController();
      const { signal } = waking;
      const wake = () => waking.abort('woken');
      stop.addEventListener('abort', wake);
      try {
        await clock.sleep(milliseconds, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        stop.removeEventListener('abort', wake);
      }
    },
    wake: () => waking.abort('woken'),
  };
}

/** The limit of one process. */
export function createRateLimit(limits: RateLimits, clock: Clock): RateLimit {
  const windowOf = (limit: number | undefined) =>
    limit === undefined ? undefined : createMinuteWindow(limit);
  const requests = windowOf(limits.requests);
  const tokens = windowOf(limits.tokens);
  const sleep = createWake(clock);
  let last: Promise<unknown> = Promise.resolve();

  const take = async (amount: number, stop: AbortSignal): Promise<boolean> => {
    while (!stop.aborted) {
      const now = clock.monotonic();
      const at = Math.max(requests?.earliest(now, 1) ?? now, tokens?.earliest(now, amount) ?? now);
      if (at > now) await sleep.wait(at - now, stop);
      else {
        requests?.use(now, 1);
        tokens?.use(now, amount);
        return true;
      }
    }
    return false;
  };
  return {
    acquire(amount, stop) {
      const turn = last.then(() => take(amount, stop));
      last = turn.catch(() => undefined);
      return turn;
    },
    settle(estimated, real) {
      if (estimated === real) return;
      tokens?.correct(clock.monotonic(), real - estimated);
      sleep.wake();
    },
  };
}
