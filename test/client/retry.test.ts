import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { decideRetry } from '../../src/client/retry.ts';
import { fc } from '../support/properties.ts';

const policy = { retries: 4, waitLimit: 60_000, random: () => 0 };

function failure(retryAfter?: number, transient = true): Failure {
  const retryAfterSeconds = retryAfter === undefined ? undefined : retryAfter / 1000;
  return new Failure('rate_limited', 'slow down', { transient, retryAfterSeconds });
}

test('R1 doubles the backoff from half a second to eight seconds', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((retry) =>
    decideRetry(failure(), retry, { ...policy, retries: 9 }),
  );
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
});

test('R1 stops after the last retry', () => {
  expect(decideRetry(failure(), 5, policy)).toBeUndefined();
});

test('R24 spreads the first delays randomly', () => {
  const delays = Array.from({ length: 20 }, () =>
    decideRetry(failure(), 1, { ...policy, random: Math.random }),
  );
  expect(new Set(delays).size).toBeGreaterThan(5);
  for (const delay of delays) {
    expect(delay).toBeGreaterThanOrEqual(375);
    expect(delay).toBeLessThanOrEqual(500);
  }
});

test('R25 jitter lengthens Retry-After by at most a second, and never shortens it', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 60_000, noNaN: true }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (requested, random) => {
        const delay = decideRetry(failure(requested), 1, { ...policy, random: () => random });
        expect(delay).toBeGreaterThanOrEqual(requested);
        expect(delay).toBeLessThanOrEqual(requested + 1001);
      },
    ),
  );
});

test.each([60_001, 120_000, 999_999_999_999_000, Infinity])(
  'R9 does not wait %d ms',
  (requested) => {
    expect(decideRetry(failure(requested), 1, policy)).toBe('wait too long');
  },
);

test.each([0, Infinity])('R9 waits at most a year without a limit (%d)', (waitLimit) => {
  const year = 366 * 86_400_000;
  expect(decideRetry(failure(year + 1), 1, { ...policy, waitLimit })).toBe('wait too long');
  expect(decideRetry(failure(Infinity), 1, { ...policy, waitLimit })).toBe('wait too long');
  expect(decideRetry(failure(2 ** 31), 1, { ...policy, waitLimit })).toBe(2 ** 31);
});

test('R3 retries at once after a Retry-After of 0', () => {
  expect(decideRetry(failure(0), 1, { ...policy, random: () => 0.9 })).toBe(0);
});

test('R15 does not retry after a lasting failure', () => {
  expect(decideRetry(failure(undefined, false), 1, policy)).toBeUndefined();
});
