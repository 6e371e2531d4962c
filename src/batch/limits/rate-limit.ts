import { type Clock, startTimer } from '../../clock.ts';

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

interface Use {
  readonly from: number;
  last: number;
  amount: number;
}

/**
 * How much of a limit was used in the last minute. Spreads uses evenly. Times are monotonic milliseconds.
 *
 * - In no period of a minute is more used than the limit; an amount above the limit counts as the limit.
 */
class MinuteWindow {
  readonly #limit: number;
  /** Of the last minute, oldest first. */
  readonly #uses: Use[] = [];
  /** When the next use may begin if uses are spread evenly. */
  #evenly = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The earliest time from `now` on at which `amount` may be used. */
  earliest(now: number, amount: number): number {
    while ((this.#uses[0]?.last ?? now) <= now - minute) this.#uses.shift();
    const sum = this.#uses.reduce((total, use) => total + use.amount, 0);
    let excess = sum + Math.min(amount, this.#limit) - this.#limit;
    let expiry = Number.NEGATIVE_INFINITY;
    for (const use of this.#uses) {
      if (excess <= 0) break;
      excess -= use.amount;
      expiry = use.last + minute;
    }
    return Math.max(now, expiry, this.#evenly - earliness);
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

/** The user's limits on requests and tokens. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #requests: MinuteWindow | undefined;
  readonly #tokens: MinuteWindow | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Ends the running wait. */
  #wake: () => void = () => undefined;

  constructor({ requests, tokens }: RateLimits, clock: Clock) {
    this.#clock = clock;
    this.#requests = requests === undefined ? undefined : new MinuteWindow(requests);
    this.#tokens = tokens === undefined ? undefined : new MinuteWindow(tokens);
  }

  /**
   * Waits until a request of about `tokens` tokens may be sent, and counts it. Callers get their turns in the order of
   * their calls.
   * @returns false if `stop` aborts first
   */
  acquire(tokens: number, stop: AbortSignal): Promise<boolean> {
    const turn = this.#last.then(() => this.#take(tokens, stop));
    this.#last = turn;
    return turn;
  }

  /** Replaces the estimate of a finished request with the tokens that the service reported. */
  settle(estimated: number, real: number): void {
    if (estimated === real) return;
    this.#tokens?.correct(this.#clock.monotonic(), real - estimated);
    this.#wake();
  }

  async #take(tokens: number, stop: AbortSignal): Promise<boolean> {
    while (!stop.aborted) {
      const now = this.#clock.monotonic();
      const free = this.#requests?.earliest(now, 1) ?? now;
      const at = Math.max(free, this.#tokens?.earliest(now, tokens) ?? now);
      if (at <= now) {
        this.#requests?.use(now, 1);
        this.#tokens?.use(now, tokens);
        return true;
      }
      await this.#wait(at - now, stop);
    }
    return false;
  }

  /** Ends after `milliseconds`, when `stop` aborts, or when tokens are corrected. */
  #wait(milliseconds: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        stop.removeEventListener('abort', end);
        resolve();
      };
      const cancel = startTimer(this.#clock, milliseconds, end);
      stop.addEventListener('abort', end);
      this.#wake = end;
    });
  }
}
