import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createConcurrency, type Slot } from '../../src/batch/concurrency.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const neverAborted = new AbortController().signal;

function open(most: number) {
  const clock = createFakeClock();
  const concurrency = createConcurrency(most, clock);
  /** Takes all free slots. */
  const takeAll = async (): Promise<Slot[]> => {
    const stop = new AbortController();
    const slots: Slot[] = [];
    const taking = (async () => {
      for (;;) {
        const slot = await concurrency.take(stop.signal);
        if (slot === undefined) return;
        slots.push(slot);
      }
    })();
    await clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await taking;
    return slots;
  };
  const finish = (slots: readonly Slot[]) => {
    for (const slot of slots) slot.release(true);
  };
  return { clock, concurrency, takeAll, finish };
}

/** The number of free slots in each of several rounds; each round answers all its items. */
async function sizes(limit: ReturnType<typeof open>, rounds: number): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const slots = await limit.takeAll();
    found.push(slots.length);
    limit.finish(slots);
  }
  return found;
}

describe('concurrency', () => {
  test('a released slot removes the listener for the stop signal', async () => {
    const { concurrency } = open(1);
    const stop = new AbortController();
    const first = await concurrency.take(stop.signal);
    const second = concurrency.take(stop.signal);
    first?.release(true);
    expect(await second).toBeDefined();
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('runs the maximum number of items, round after round', async () => {
    expect(await sizes(open(4), 3)).toEqual([4, 4, 4]);
  });

  test('halves after a 429, and grows by one per round of answers', async () => {
    const limit = open(8);
    const slots = await limit.takeAll();
    slots[0]?.rateLimited(undefined);
    limit.finish(slots.slice(0, 1));
    for (const slot of slots.slice(1)) slot.release(false);
    // The answer above counts for the first round.
    const [first = 0, ...rest] = await sizes(limit, 6);
    expect(first).toBe(4);
    expect(rest).toEqual([5, 6, 7, 8, 8]);
  });

  test('counts simultaneous 429s once', async () => {
    const limit = open(8);
    const slots = await limit.takeAll();
    for (const slot of slots) slot.rateLimited(undefined);
    for (const slot of slots) slot.release(false);
    expect(await limit.takeAll()).toHaveLength(4);
  });

  test('halves again for each later 429, down to one', async () => {
    const limit = open(4);
    const found: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const slots = await limit.takeAll();
      found.push(slots.length);
      for (const slot of slots) slot.rateLimited(undefined);
      for (const slot of slots) slot.release(false);
    }
    expect(found).toEqual([4, 2, 1, 1]);
  });

  test('pauses all items for the Retry-After', async () => {
    const { clock, concurrency, takeAll } = open(4);
    const slots = await takeAll();
    slots[0]?.rateLimited(5000);
    slots[1]?.rateLimited(2000);
    for (const slot of slots) slot.release(false);
    let isTaken = false;
    const taking = concurrency.take(neverAborted).then(() => (isTaken = true));
    await clock.advance(4999);
    expect([isTaken, concurrency.pauseRemaining()]).toEqual([false, 1]);
    await clock.advance(1);
    await taking;
    expect(concurrency.pauseRemaining()).toBe(0);
  });

  test('extends a pause when a later Retry-After ends later', async () => {
    const { clock, concurrency, takeAll } = open(2);
    const [one, other] = await takeAll();
    other?.release(true);
    one?.rateLimited(1000);
    one?.release(false);
    let isTaken = false;
    const taking = concurrency.take(neverAborted).then(() => (isTaken = true));
    await clock.advance(500);
    one?.rateLimited(1500);
    await clock.advance(1499);
    expect(isTaken).toBe(false);
    await clock.advance(1);
    await taking;
  });

  test('Y7: reports the start of a pause, but not its extension', async () => {
    const clock = createFakeClock();
    const pauses: number[] = [];
    const concurrency = createConcurrency(2, clock, (wait) => pauses.push(wait));
    const slot = await concurrency.take(new AbortController().signal);
    slot?.rateLimited(undefined);
    slot?.rateLimited(1000);
    slot?.rateLimited(2000);
    await clock.advance(2000);
    slot?.rateLimited(500);
    expect(pauses).toEqual([1000, 500]);
  });

  test.each(['a slot', 'the end of a pause'])(
    'stops waiting for %s when the stop signal aborts',
    async (what) => {
      const { concurrency, takeAll } = open(1);
      const [slot] = await takeAll();
      if (what !== 'a slot') {
        slot?.rateLimited(60_000);
        slot?.release(false);
      }
      const stop = new AbortController();
      const taking = concurrency.take(stop.signal);
      stop.abort();
      expect(await taking).toBeUndefined();
    },
  );
});
