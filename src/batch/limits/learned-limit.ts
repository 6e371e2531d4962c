/** Milliseconds until a failed test is repeated; doubles with each failure. */
const firstInterval = 1000;
const maxInterval = 120_000;
/** Waits of a refused item until a value near the known limit is tested: the test may cost one. */
const waitsPerTest = 10;

/**
 * A limit of the service that is found by tests: a test raises the value for a while, and a refusal returns to the value
 * before. Times are monotonic milliseconds.
 *
 * - The value is never above `most`, and positive.
 * - Outside of tests, the value is below the ceiling.
 * - A failed test never lowers the value that it started from.
 */
export class LearnedLimit {
  readonly #most: number;
  readonly #next: (value: number, ceiling: number) => number;
  value: number;
  /** A value known to be too high; `Infinity` if there is none. */
  ceiling = Number.POSITIVE_INFINITY;
  isTesting = false;
  /** When the running test began, or when the next one may begin. */
  at = Number.NEGATIVE_INFINITY;
  /** The value before the running test. */
  #before: number;
  #interval = firstInterval;

  /** @param next returns the value of the next test; its `ceiling` is as above */
  constructor(value: number, most: number, next: (value: number, ceiling: number) => number) {
    this.#most = most;
    this.#next = next;
    this.value = value;
    this.#before = value;
  }

  /** Begins a test if one is due. */
  beginTest(now: number): boolean {
    if (this.isTesting || now < this.at || this.value >= this.#most) return false;
    this.#before = this.value;
    this.value = Math.min(this.#most, this.#next(this.value, this.ceiling));
    this.isTesting = true;
    this.at = now;
    return true;
  }

  passTest(now: number): void {
    this.isTesting = false;
    if (this.value >= this.ceiling) this.ceiling = Number.POSITIVE_INFINITY;
    this.#interval = firstInterval;
    this.at = now;
  }

  failTest(now: number, retryAfter: number): void {
    this.set(this.#before, this.value, now, retryAfter);
  }

  /** @param retryAfter milliseconds; 0 without one */
  set(value: number, ceiling: number, now: number, retryAfter: number): void {
    this.isTesting = false;
    this.value = value;
    this.ceiling = ceiling;
    const patience = ceiling === Number.POSITIVE_INFINITY ? 0 : waitsPerTest * retryAfter;
    this.at = now + Math.max(this.#interval, patience);
    this.#interval = Math.min(maxInterval, this.#interval * 2);
  }

  /** Nothing is known about the limit above `value`, and tests may begin at once. */
  lift(value: number): void {
    this.isTesting = false;
    this.value = value;
    this.ceiling = Number.POSITIVE_INFINITY;
    this.#interval = firstInterval;
    this.at = Number.NEGATIVE_INFINITY;
  }
}
