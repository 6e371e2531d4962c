/** Limits per minute; undefined is no limit. */
export interface RateLimits {
  readonly requests: number | undefined;
  readonly tokens: number | undefined;
}

const minute = 60_000;
/** Milliseconds; uses that are closer together are one entry, so that memory does not grow with the limit. */
const resolution = 10;
/** Milliseconds; a use that is late by this much does not delay the ones after it. */
const lateness = 100;
/** Milliseconds; timers are no finer. */
const earliness = 1;

/**
 * Counts how much of a limit was used in the last minute, and spreads uses evenly. Times are monotonic milliseconds.
 *
 * - In no period of a minute is more used than the limit; an amount above the limit counts as the limit.
 */
function createMinuteWindow(limit: number) {
  /** The uses of the last minute, oldest first. */
  const uses: { readonly from: number; last: number; amount: number }[] = [];
  /** When the next use may begin if uses are spread evenly. */
  let evenly = Number.NEGATIVE_INFINITY;

  function add(now: number, amount: number): void {
    const latest = uses.at(-1);
    if (latest !== undefined && now - latest.from < resolution) {
      latest.last = now;
      latest.amount += amount;
    } else uses.push({ from: now, last: now, amount });
  }
  return {
    /** Milliseconds until `amount` may be used. */
    delay(now: number, amount: number): number {
      while ((uses[0]?.last ?? now) <= now - minute) uses.shift();
      const sum = uses.reduce((total, use) => total + use.amount, 0);
      let excess = sum + Math.min(amount, limit) - limit;
      let expiry = now;
      for (const use of uses) {
        if (excess <= 0) break;
        excess -= use.amount;
        expiry = use.last + minute;
      }
      return Math.max(expiry, evenly - earliness) - now;
    },
    use(now: number, amount: number): void {
      add(now, amount);
      const begin = evenly < now - lateness ? now : evenly;
      evenly = begin + (amount / limit) * minute;
    },
    /** Adds to what was used; a negative number takes from the latest uses. */
    correct(now: number, difference: number): void {
      evenly += (difference / limit) * minute;
      if (difference > 0) add(now, difference);
      let rest = -difference;
      for (const use of uses.toReversed()) {
        if (rest <= 0) break;
        const taken = Math.min(rest, use.amount);
        use.amount -= taken;
        rest -= taken;
      }
    },
  };
}

/** Keeps the user's limits on requests and tokens. Times are monotonic milliseconds. */
export function createRateLimit(limits: RateLimits) {
  const requests = limits.requests === undefined ? undefined : createMinuteWindow(limits.requests);
  const tokens = limits.tokens === undefined ? undefined : createMinuteWindow(limits.tokens);
  return {
    /** Milliseconds until a request of about `size` tokens may be sent. */
    delay: (now: number, size: number) =>
      Math.max(requests?.delay(now, 1) ?? 0, tokens?.delay(now, size) ?? 0),
    use(now: number, size: number): void {
      requests?.use(now, 1);
      tokens?.use(now, size);
    },
    /** Replaces the estimate of a finished request with the tokens that the service reported. */
    settle(now: number, estimated: number, real: number): void {
      if (estimated !== real) tokens?.correct(now, real - estimated);
    },
  };
}
