import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createConcurrency, type Slot } from '../../src/batch/concurrency.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const going = new AbortController().signal;

function open(most: number) {
  const clock = createFakeClock();
  const concurrency = createConcurrency(most, clock);
  /** Takes what is free at this moment. */
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

/** How many are asked at the same time after `slots` are answered. */
async function sizes(window: ReturnType<typeof open>, rounds: number): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const slots = await window.takeAll();
    found.push(slots.length);
    window.finish(slots);
  }
  return found;
}

describe('concurrency', () => {
  test('a place that becomes free removes the listener for the stop signal', async () => {
    const { concurrency } = open(1);
    const stop = new AbortController();
    const first = await concurrency.take(stop.signal);
    const second = concurrency.take(stop.signal);
    first?.release(true);
    expect(await second).toBeDefined();
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('begins as many as are allowed, and stays there', async () => {
    expect(await sizes(open(4), 3)).toEqual([4, 4, 4]);
  });

  test('halves after a 429, and grows back by one for each round of answers', async () => {
    const window = open(8);
    const slots = await window.takeAll();
    slots[0]?.rateLimited(undefined);
    window.finish(slots.slice(0, 1));
    for (const slot of slots.slice(1)) slot.release(false);
    // The answer above counts already.
    const [first = 0, ...rest] = await sizes(window, 6);
    expect(first).toBe(4);
    expect(rest).toEqual([5, 6, 7, 8, 8]);
  });

  test('counts the 429s of one moment as one', async () => {
    const window = open(8);
    const slots = await window.takeAll();
    for (const slot of slots) slot.rateLimited(undefined);
    for (const slot of slots) slot.release(false);
    expect(await window.takeAll()).toHaveLength(4);
  });

  test('halves again when what was begun since is refused too, down to one', async () => {
    const window = open(4);
    const found: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const slots = await window.takeAll();
      found.push(slots.length);
      for (const slot of slots) slot.rateLimited(undefined);
      for (const slot of slots) slot.release(false);
    }
    expect(found).toEqual([4, 2, 1, 1]);
  });

  test('holds everything back for as long as the service asks', async () => {
    const { clock, concurrency, takeAll } = open(4);
    const slots = await takeAll();
    slots[0]?.rateLimited(5000);
    slots[1]?.rateLimited(2000);
    for (const slot of slots) slot.release(false);
    let isTaken = false;
    const taking = concurrency.take(going).then(() => (isTaken = true));
    await clock.advance(4999);
    expect([isTaken, concurrency.waiting()]).toEqual([false, 1]);
    await clock.advance(1);
    await taking;
    expect(concurrency.waiting()).toBe(0);
  });

  test('waits on when the service asks for more meanwhile', async () => {
    const { clock, concurrency, takeAll } = open(2);
    const [one, other] = await takeAll();
    other?.release(true);
    one?.rateLimited(1000);
    one?.release(false);
    let isTaken = false;
    const taking = concurrency.take(going).then(() => (isTaken = true));
    await clock.advance(500);
    one?.rateLimited(1500);
    await clock.advance(1499);
    expect(isTaken).toBe(false);
    await clock.advance(1);
    await taking;
  });

  test('Y7: reports when a pause begins, and not when it becomes longer', async () => {
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

  test.each(['a place', 'the end of a wait'])(
    'waits for %s no longer than it is to',
    async (what) => {
      const { concurrency, takeAll } = open(1);
      const [slot] = await takeAll();
      if (what !== 'a place') {
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
