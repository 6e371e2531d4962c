import { describe, expect, test } from 'vitest';
import { RateLimit, type RateLimits } from '../../../src/batch/limits/rate-limit.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const neverAborted = new AbortController().signal;

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

/** Acquires as often as possible for `milliseconds`; `real` is the usage, reported 100 ms after each start. */
async function saturate(
  limits: RateLimits,
  milliseconds: number,
  { estimated = 0, real, step = 1 }: Run = {},
): Promise<readonly Sent[]> {
  const clock = createFakeClock();
  const limit = new RateLimit(limits, clock);
  const sent: Sent[] = [];
  const stop = new AbortController();
  const finish = async () => {
    await clock.sleep(100);
    limit.settle(estimated, real ?? estimated);
  };
  const work = async () => {
    while (await limit.acquire(estimated, stop.signal)) {
      sent.push({ at: clock.monotonic(), tokens: real ?? estimated });
      if (real !== undefined) void finish();
    }
  };
  const working = work();
  await nextTurn();
  for (let time = 0; time < milliseconds; time += step) await clock.advance(step);
  stop.abort();
  await working;
  return sent;
}

/** The most of `amount` in any period of a minute. */
function mostInAMinute(sent: readonly Sent[], amount: (one: Sent) => number): number {
  let most = 0;
  let sum = 0;
  let first = 0;
  for (const one of sent) {
    sum += amount(one);
    for (
      let old = sent[first];
      old !== undefined && old.at < one.at - 60_000 + 1e-6;
      old = sent[first]
    ) {
      sum -= amount(old);
      first += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}

const requests = () => 1;
const tokens = (one: Sent) => one.tokens;

describe('a rate limit', () => {
  test.each([60, 90, 600])('sends %d requests a minute, and never more', async (limit) => {
    const sent = await saturate({ requests: limit, tokens: undefined }, 180_000, { step: 100 });
    expect(mostInAMinute(sent, requests)).toBe(limit);
    expect(sent.length).toBeGreaterThan(limit * 3 * 0.99);
  });

  test('spreads requests evenly', async () => {
    const sent = await saturate({ requests: 60, tokens: undefined }, 10_000, { step: 100 });
    expect(sent.map(({ at }) => at)).toEqual(
      Array.from({ length: 11 }, (_, index) => Math.max(0, index * 1000 - 1)),
    );
  });

  test('does not delay anything when it is far above the speed of the run', async () => {
    const limit = new RateLimit({ requests: 1e9, tokens: 1e9 }, createFakeClock());
    for (let count = 0; count < 1000; count += 1) {
      expect(await limit.acquire(10, neverAborted)).toBe(true);
    }
  });

  test('sends as many tokens a minute as allowed, and never more', async () => {
    const limits = { requests: undefined, tokens: 6000 };
    const sent = await saturate(limits, 180_000, { estimated: 70, step: 100 });
    const most = mostInAMinute(sent, tokens);
    expect(most).toBeGreaterThan(6000 - 2 * 70);
    expect(most).toBeLessThanOrEqual(6000);
  });

  test('the reported tokens replace the estimate', async () => {
    const limits = { requests: undefined, tokens: 6000 };
    const low = await saturate(limits, 180_000, { estimated: 100, real: 50, step: 100 });
    expect(mostInAMinute(low, tokens)).toBeGreaterThan(6000 * 0.95);
    expect(mostInAMinute(low, tokens)).toBeLessThanOrEqual(6000);
    const high = await saturate(limits, 180_000, { estimated: 50, real: 100, step: 100 });
    // One request is under way when the first reports its usage.
    expect(mostInAMinute(high, tokens)).toBeLessThanOrEqual(6000 + 100);
  });

  test('an item above the limit is sent alone in its minute', async () => {
    const sent = await saturate({ requests: undefined, tokens: 100 }, 300_000, {
      estimated: 1000,
      step: 1000,
    });
    expect(sent.map(({ at }) => at)).toEqual([0]);
  });

  test('ends all waits when the run stops', async () => {
    const clock = createFakeClock();
    const limit = new RateLimit({ requests: 1, tokens: undefined }, clock);
    const stop = new AbortController();
    const all = [1, 2, 3].map(() => limit.acquire(0, stop.signal));
    await nextTurn();
    await clock.advance(59_999);
    stop.abort();
    expect(await Promise.all(all)).toEqual([true, false, false]);
  });
});
