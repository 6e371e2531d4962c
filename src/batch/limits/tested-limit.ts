/** How a limit is raised. */
export interface LimitRule {
  readonly most: number;
  /** The value of the next test; `ceiling` is known to be too high, `Infinity` if no such value is known. */
  next(value: number, ceiling: number): number;
  /** Whether there is nothing left to find between the value and the ceiling. */
  isClosed(value: number, ceiling: number): boolean;
  /** Milliseconds between two tests, at least. */
  pause(value: number): number;
}

/**
 * A limit of the service that is found by tests: a test raises the value for a while, and a refusal returns to the value
 * before. Times are monotonic milliseconds.
 */
export interface TestedLimit {
  readonly rule: LimitRule;
  value: number;
  ceiling: number;
  isTesting: boolean;
  /** When the running test began, or when the next one may begin. */
  at: number;
  /** Requests of the running test. */
  sent: number;
  /** Requests of the running test that used all of the raised value and were admitted. */
  proofs: number;
  /** The value before the running test. */
  before: number;
  interval: number;
}

const firstInterval = 1000;
const maxInterval = 120_000;
/** Milliseconds; of a limit without a known ceiling. */
const openInterval = 250;
/** A longer Retry-After does not make tests rarer in proportion, but by its square. */
const longWait = 20_000;

export function createTestedLimit(rule: LimitRule, value: number): TestedLimit {
  return {
    rule,
    value,
    ceiling: Number.POSITIVE_INFINITY,
    isTesting: false,
    at: Number.NEGATIVE_INFINITY,
    sent: 0,
    proofs: 0,
    before: value,
    interval: firstInterval,
  };
}

/** The shares of the usual pause, and the multiples of the Retry-After, that pass until the next test. */
function caution({ rule, value, ceiling }: TestedLimit): { pauses: number; waits: number } {
  if (ceiling === Number.POSITIVE_INFINITY) return { pauses: 0.1, waits: 0 };
  return rule.isClosed(value, ceiling) ? { pauses: 1, waits: 10 } : { pauses: 0.25, waits: 3 };
}

/**
 * Failed tests become rare: the interval doubles, and a test that fails costs one item its Retry-After. The square keeps
 * tests out of runs in which one long Retry-After would last longer than what the test can gain.
 */
function postpone(limit: TestedLimit, now: number, retryAfter: number): void {
  const { pauses, waits } = caution(limit);
  const isOpen = limit.ceiling === Number.POSITIVE_INFINITY;
  limit.at =
    now +
    Math.max(
      isOpen ? Math.min(openInterval, limit.interval) : limit.interval,
      pauses * limit.rule.pause(limit.value),
      waits * Math.min(retryAfter, longWait),
      (retryAfter * retryAfter) / 5000,
    );
  limit.interval = Math.min(maxInterval, limit.interval * 2);
}

/** Begins a test if one is due. */
export function beginTest(limit: TestedLimit, now: number): boolean {
  const { rule, value, ceiling } = limit;
  if (limit.isTesting || now < limit.at || value >= rule.most) return false;
  limit.before = value;
  limit.value = Math.min(rule.most, rule.next(value, ceiling));
  limit.isTesting = true;
  limit.at = now;
  limit.sent = 0;
  limit.proofs = 0;
  return true;
}

export function passTest(limit: TestedLimit, now: number): void {
  limit.isTesting = false;
  if (limit.value >= limit.ceiling) limit.ceiling = Number.POSITIVE_INFINITY;
  limit.interval = firstInterval;
  limit.at = now;
}

/** Ends a test without a result. */
export function stopTest(limit: TestedLimit, now: number): void {
  limit.isTesting = false;
  limit.value = limit.before;
  limit.at = now + limit.interval;
}

/** @param retryAfter milliseconds; 0 without one */
export function failTest(limit: TestedLimit, now: number, retryAfter: number): void {
  limit.isTesting = false;
  limit.ceiling = limit.value;
  limit.value = limit.before;
  postpone(limit, now, retryAfter);
}

/** @param ceiling is known to be too high @param retryAfter milliseconds; 0 without one */
export function setLimit(
  limit: TestedLimit,
  value: number,
  ceiling: number,
  now: number,
  retryAfter: number,
): void {
  limit.isTesting = false;
  limit.value = value;
  limit.ceiling = ceiling;
  postpone(limit, now, retryAfter);
}

/** Nothing is known about a limit above `value`, and tests may begin at once. */
export function liftLimit(limit: TestedLimit, value: number): void {
  limit.isTesting = false;
  limit.value = value;
  limit.ceiling = Number.POSITIVE_INFINITY;
  limit.interval = firstInterval;
  limit.at = Number.NEGATIVE_INFINITY;
}

/** Until then, the requests from before a change would distort a test. */
export function holdTests(limit: TestedLimit, until: number): void {
  limit.at = Math.max(limit.at, until);
}
