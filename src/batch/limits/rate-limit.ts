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
 * How much of a limit was used in the last minute. Spreads uses evenly. Times are monotonic milliseconds.
 *
 * - In no period of a minute is more used than the limit; an amount above the limit counts as the limit.
 */
class MinuteWindow {
  readonly #limit: number;
  /** The requests of the last minute, oldest first. */
  readonly #uses: { readonly from: number; last: number; amount: number }[] = [];
  /** When the next use may begin if uses are spread evenly. */
  #evenly = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Milliseconds until `amount` may be used. */
  delay(now: number, amount: number): number {
    while ((this.#uses[0]?.last ?? now) <= now - minute) this.#uses.shift();
    const sum = this.#uses.reduce((total, use) => total + use.amount, 0);
    let excess = sum + Math.min(amount, this.#limit) - this.#limit;
    let expiry = now;
    for (const use of this.#uses) {
      if (excess <= 0) break;
      excess -= use.amount;
      expiry = use.last + minute;
    }
    return Math.max(expiry, this.#evenly - earliness) - now;
  }

  use(now: number, amount: number): void {
    this.#add(now, amount);
    const begin = this.#evenly < now - lateness ? now : this.#evenly;
    this.#evenly = begin + (amount / this.#limit) * minute;
  }

  /** Adds to what was used; a negative number takes from the latest uses. */
  correct(now: number, difference: number): void {
    this.#evenly += (difference / this.#limit) * minute;
    if (difference > 0) this.#add(now, difference);
    let rest = -difference;
    for (const use of this.#uses.toReversed()) {
      if (rest <= 0) break;
      const taken = Math.min(rest, use.amount);
      use.amount -= taken;
      rest -= taken;
    }
  }

  #add(now: number, amount: number): void {
    const latest = this.#uses.at(-1);
    if (latest !== undefined && now - latest.from < resolution) {
      latest.last = now;
      latest.amount += amount;
    } else this.#uses.push({ from: now, last: now, amount });
  }
}

/** The user's limits on requests and tokens. Times are monotonic milliseconds. */
export class RateLimit {
  readonly #requests: MinuteWindow | undefined;
  readonly #tokens: MinuteWindow | undefined;

  constructor({ requests, tokens }: RateLimits) {
    this.#requests = requests === undefined ? undefined : new MinuteWindow(requests);
    this.#tokens = tokens === undefined ? undefined : new MinuteWindow(tokens);
  }

  /** Milliseconds until a request of about `tokens` tokens may be sent. */
  delay(now: number, tokens: number): number {
    const requests = this.#requests?.delay(now, 1) ?? 0;
    return Math.max(requests, this.#tokens?.delay(now, tokens) ?? 0);
  }

  /** Counts a request. */
  use(now: number, tokens: number): void {
    this.#requests?.use(now, 1);
    this.#tokens?.use(now, tokens);
  }

  /** Replaces the estimate of a finished request with the tokens that the service reported. */
  settle(now: number, estimated: number, real: number): void {
    if (estimated !== real) this.#tokens?.correct(now, real - estimated);
  }
}
