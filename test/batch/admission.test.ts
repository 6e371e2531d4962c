import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Admission, type Permission } from '../../src/batch/admission.ts';
import { createFakeClock } from '../support/fake-clock.ts';

interface Limits {
  readonly requests?: number;
  readonly retries?: number;
  readonly maxWait?: number;
}

function open(most: number, { requests, retries = 4, maxWait = 60_000 }: Limits = {}) {
  const clock = createFakeClock();
  const pauses: number[] = [];
  const stop = new AbortController();
  const admission = new Admission({
    clock,
    most,
    rateLimits: { requests, tokens: undefined },
    retries,
    maxWait,
    stop: stop.signal,
    estimate: () => ({ prompt: 0, answer: 0 }),
    onPause: (wait) => void pauses.push(wait),
  });
  const taken: number[] = [];
  const take = async (order: number): Promise<Permission | undefined> => {
    const content = { messages: [] };
    const item = { index: order, line: order, id: undefined, content };
    const permission = await admission.admit(item);
    if (permission !== undefined) taken.push(order);
    return permission;
  };
  /** Refuses a request, and waits until the item may be sent again. */
  const refuse = async (permission: Permission | undefined, order: number, wait?: number) => {
    permission?.onRefusal(wait);
    const next = await permission?.afterRefusal();
    if (next === 'again') taken.push(order);
    return next;
  };
  return { clock, admission, stop, taken, take, refuse, pauses };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const release = (permission: Permission | undefined) => permission?.end(true, undefined);

describe('places', () => {
  test('are given to the item that comes first in the input', async () => {
    const { take, taken } = open(1);
    const first = await take(5);
    const later = [take(9), take(2), take(7)];
    release(first);
    await nextTurn();
    expect(taken).toEqual([5, 2]);
    for (const place of [later[1], later[2], later[0]]) release(await place);
    await nextTurn();
    expect(taken).toEqual([5, 2, 7, 9]);
  });

  test('are free for others while a refused item waits', async () => {
    const { take, refuse, taken, clock } = open(2);
    const refused = await take(1);
    const other = await take(2);
    await clock.advance(1);
    void refuse(refused, 1, 9000);
    void take(3);
    release(other);
    await nextTurn();
    await clock.advance(8000);
    expect(taken).toEqual([1, 2, 3]);
    await clock.advance(1000);
    expect(taken).toEqual([1, 2, 3, 1]);
  });

  test('Y7: report a pause of all requests once', async () => {
    const { take, refuse, pauses, clock, admission } = open(1);
    const place = await take(1);
    await clock.advance(5);
    void refuse(place, 1, 6000);
    await nextTurn();
    expect([pauses, admission.pauseRemaining()]).toEqual([[6000], 6000]);
    await clock.advance(2000);
    expect(admission.pauseRemaining()).toBe(4000);
    await clock.advance(4000);
    expect([pauses, admission.pauseRemaining()]).toEqual([[6000], 0]);
  });

  test('end all waits when the run stops, and leave no listener or timer', async () => {
    const { take, refuse, stop, clock } = open(2);
    const [place, other] = [await take(1), await take(2)];
    const refused = refuse(other, 2, 5000);
    const third = await take(3);
    const waiting = take(4);
    await nextTurn();
    stop.abort();
    expect([await refused, await waiting]).toEqual(['stopped', undefined]);
    release(place);
    release(third);
    await nextTurn();
    expect(clock.sleeping()).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(await take(5)).toBeUndefined();
  });

  test('respect a limit of the user in the order of the input, which is no pause', async () => {
    const { take, taken, clock, pauses, admission } = open(8, { requests: 6 });
    const all = [1, 2, 3].map((order) => take(order));
    await nextTurn();
    expect(taken).toEqual([1]);
    release(await all[0]);
    expect([pauses, admission.pauseRemaining()]).toEqual([[], 0]);
    await clock.advance(10_000);
    await clock.advance(10_000);
    await Promise.all(all);
    expect(taken).toEqual([1, 2, 3]);
  });

  test('of one item pay for each further request', async () => {
    const { take, clock, stop } = open(8, { requests: 60 });
    const place = await take(1);
    expect(await place?.beforeRequest()).toBe(true);
    let isAllowed = false;
    void place?.beforeRequest().then((allowed) => (isAllowed = allowed));
    await clock.advance(900);
    expect(isAllowed).toBe(false);
    await clock.advance(100);
    expect(isAllowed).toBe(true);
    const next = place?.beforeRequest();
    stop.abort();
    expect(await next).toBe(false);
  });
});

describe('a refused item', () => {
  /** Milliseconds until each of its refusals is over; `starved` if it fails. */
  async function waitsOf(
    { take, clock }: ReturnType<typeof open>,
    retryAfter: number | undefined,
    times: number,
    meanwhile: () => void = () => undefined,
  ) {
    const place = await take(0);
    const waits: (number | string)[] = [];
    for (let time = 0; time < times; time += 1) {
      const start = clock.monotonic();
      const found: string[] = [];
      place?.onRefusal(retryAfter);
      const wait = async () => found.push((await place?.afterRefusal()) ?? '');
      void wait();
      await nextTurn();
      while (found.length === 0) {
        await clock.advance(100);
        meanwhile();
      }
      waits.push(found[0] === 'again' ? clock.monotonic() - start : 'starved');
    }
    return waits;
  }

  test('waits longer each time without a Retry-After', async () => {
    const waits = await waitsOf(open(9, { retries: 9 }), undefined, 6);
    // A probe may have to wait a little longer for its turn.
    for (const [at, expected] of [500, 1000, 2000, 4000, 8000, 8000].entries()) {
      expect(waits[at]).toBeGreaterThanOrEqual(expected);
      expect(waits[at]).toBeLessThan(expected + 300);
    }
  });

  test('waits its Retry-After, but not longer than the limit', async () => {
    for (const retryAfter of [2500, 3_600_000]) {
      const place = open(9, { maxWait: 10_000 });
      release(await place.take(1));
      expect(await waitsOf(place, retryAfter, 1)).toEqual([Math.min(retryAfter, 10_000)]);
    }
  });

  test('never fails while a request is in progress', async () => {
    const place = open(9, { retries: 0 });
    await place.take(1);
    expect(await waitsOf(place, 40_000, 4)).not.toContain('starved');
  });

  test('fails after its retries, when nothing was answered for as long as --retry-max-wait', async () => {
    const waits = await waitsOf(open(9, { retries: 2, maxWait: 10_000 }), 3000, 5);
    expect(waits).toEqual([3000, 3000, 3000, 3000, 'starved']);
  });

  test('does not fail while other items are answered', async () => {
    const place = open(9, { retries: 2, maxWait: 10_000 });
    const waits = await waitsOf(place, 3000, 8, () => void place.take(1).then(release));
    expect(waits).not.toContain('starved');
  });

  test.each([
    ['without retries', { retries: 0 }, undefined],
    ['for a Retry-After that is too long', {}, 60_001],
  ])('fails at once %s, if nothing was ever answered', async (_, limits, wait) => {
    expect(await waitsOf(open(9, limits), wait, 1)).toEqual(['starved']);
  });

  test('fails after its retries if any Retry-After is waited for', async () => {
    const place = open(9, { retries: 1, maxWait: Infinity });
    expect(await waitsOf(place, 86_400, 2)).toEqual([86_400, 'starved']);
  });
});
