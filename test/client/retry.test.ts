import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { decideRetry } from '../../src/client/retry.ts';
import { expectForAll, fc } from '../support/properties.ts';

const limits = { retries: 4, retryWaitLimit: 60_000 };

const decide = (
  failed: Failure,
  retry: number,
  { random = () => 0, ...more }: Partial<typeof limits> & { readonly random?: () => number } = {},
) => decideRetry(failed, retry, { ...limits, ...more }, random);

function failure(retryAfter?: number, transient = true): Failure {
  const retryAfterSeconds = retryAfter === undefined ? undefined : retryAfter / 1000;
  return new Failure('rate_limited', 'slow down', { transient, retryAfterSeconds });
}

test('R1 doubles the backoff from half a second to eight seconds', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((retry) => decide(failure(), retry, { retries: 9 }));
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
});

test('R1 stops after the last retry', () => {
  expect(decide(failure(), 5)).toBeUndefined();
});

test('R24 spreads the first delays randomly', () => {
  const delays = Array.from({ length: 20 }, () => decide(failure(), 1, { random: Math.random }));
  expect(new Set(delays).size).toBeGreaterThan(5);
  for (const delay of delays) {
    expect(delay).toBeGreaterThanOrEqual(375);
    expect(delay).toBeLessThanOrEqual(500);
  }
});

test('R25 jitter lengthens Retry-After by at most a second, and never shortens it', () => {
  expectForAll(
    fc.double({ min: 1, max: 60_000, noNaN: true }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    (requested, random) => {
      const delay = decide(failure(requested), 1, { random: () => random });
      expect(delay).toBeGreaterThanOrEqual(requested);
      expect(delay).toBeLessThanOrEqual(requested + 1001);
    },
  );
});

test.each([60_001, 120_000, 999_999_999_999_000, Infinity])(
  'R9 does not wait %d ms',
  (requested) => {
    expect(decide(failure(requested), 1)).toBe('wait too long');
  },
);

test.each([0, Infinity])('R9 waits at most a year without a limit (%d)', (retryWaitLimit) => {
  const year = 366 * 86_400_000;
  expect(decide(failure(year + 1), 1, { retryWaitLimit })).toBe('wait too long');
  expect(decide(failure(Infinity), 1, { retryWaitLimit })).toBe('wait too long');
  expect(decide(failure(2 ** 31), 1, { retryWaitLimit })).toBe(2 ** 31);
});

test('R3 retries at once after a Retry-After of 0', () => {
  expect(decide(failure(0), 1, { random: () => 0.9 })).toBe(0);
});

test('R15 does not retry after a lasting failure', () => {
  expect(decide(failure(undefined, false), 1)).toBeUndefined();
});
