import { describe, expect, test } from 'vitest';
import { createRateLimit, type RateLimits } from '../../../src/batch/limits/rate-limit.ts';

interface Sent {
  readonly at: number;
  readonly tokens: number;
}

interface Run {
  readonly estimated?: number;
  /** Default: as estimated. */
  readonly real?: number;
  readonly step?: number;
}

/** Sends as often as possible for `milliseconds`; `real` is the usage, reported 100 ms after each start. */
function saturate(
  limits: RateLimits,
  milliseconds: number,
  { estimated = 0, real, step = 1 }: Run = {},
): readonly Sent[] {
  const limit = createRateLimit(limits);
  const sent: Sent[] = [];
  const reports: number[] = [];
  for (let now = 0; now < milliseconds;) {
    while ((reports[0] ?? Infinity) <= now) {
      limit.settle(reports.shift() ?? 0, estimated, real ?? estimated);
    }
    const delay = limit.delay(now, estimated);
    if (delay > 0) {
      now = Math.min(now + Math.min(delay, step), reports[0] ?? Infinity);
      continue;
    }
    limit.use(now, estimated);
    sent.push({ at: now, tokens: real ?? estimated });
    if (real !== undefined) reports.push(now + 100);
  }
  return sent;
}

/** The most of `amount` in any period of a minute. */
function mostInAMinute(sent: readonly Sent[], amount: (one: Sent) => number): number {
  const sums = sent.map(({ at: end }) => {
    const within = sent.filter(({ at }) => at <= end && at > end - 60_000 + 1e-6);
    return within.reduce((sum, one) => sum + amount(one), 0);
  });
  return Math.max(...sums);
}

const requests = () => 1;
const tokens = (one: Sent) => one.tokens;

describe('a rate limit', () => {
  test.each([60, 90, 600])('sends %d requests a minute, and never more', (limit) => {
    const sent = saturate({ requests: limit, tokens: undefined }, 180_000, { step: 100 });
    expect(mostInAMinute(sent, requests)).toBe(limit);
    expect(sent.length).toBeGreaterThan(limit * 3 * 0.99);
  });

  test('spreads requests evenly', () => {
    const sent = saturate({ requests: 60, tokens: undefined }, 10_000, { step: 100 });
    expect(sent.map(({ at }) => at)).toEqual(
      Array.from({ length: 11 }, (_, index) => Math.max(0, index * 1000 - 1)),
    );
  });

  test('does not delay anything when it is far above the speed of the run', () => {
    const limit = createRateLimit({ requests: 1e9, tokens: 1e9 });
    for (let count = 0; count < 1000; count += 1) {
      expect(limit.delay(0, 10)).toBeLessThanOrEqual(0);
      limit.use(0, 10);
    }
  });

  test('sends as many tokens a minute as allowed, and never more', () => {
    const limits = { requests: undefined, tokens: 6000 };
    const sent = saturate(limits, 180_000, { estimated: 70, step: 100 });
    const most = mostInAMinute(sent, tokens);
    expect(most).toBeGreaterThan(6000 - 2 * 70);
    expect(most).toBeLessThanOrEqual(6000);
  });

  test('the reported tokens replace the estimate', () => {
    const limits = { requests: undefined, tokens: 6000 };
    const low = saturate(limits, 180_000, { estimated: 100, real: 50, step: 100 });
    expect(mostInAMinute(low, tokens)).toBeGreaterThan(6000 * 0.95);
    expect(mostInAMinute(low, tokens)).toBeLessThanOrEqual(6000);
    const high = saturate(limits, 180_000, { estimated: 50, real: 100, step: 100 });
    // One request is under way when the first reports its usage.
    expect(mostInAMinute(high, tokens)).toBeLessThanOrEqual(6000 + 100);
  });

  test('an item above the limit is sent alone in its minute', () => {
    const sent = saturate({ requests: undefined, tokens: 100 }, 300_000, {
      estimated: 1000,
      step: 1000,
    });
    expect(sent.map(({ at }) => at)).toEqual([0]);
  });
});
