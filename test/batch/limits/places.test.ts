import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type Place, Places } from '../../../src/batch/limits/places.ts';
import { RateLimit } from '../../../src/batch/limits/rate-limit.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function open(most: number, requests?: number) {
  const clock = createFakeClock();
  const pauses: number[] = [];
  const rateLimit =
    requests === undefined ? undefined : new RateLimit({ requests, tokens: undefined }, clock);
  const onPause = (wait: number) => void pauses.push(wait);
  const places = new Places({ most, clock, rateLimit, onPause });
  const stop = new AbortController();
  const taken: number[] = [];
  const take = async (order: number, wait = 0): Promise<Place | undefined> => {
    const place = await places.take({ order, tokens: 0, wait }, stop.signal);
    if (place !== undefined) taken.push(order);
    return place;
  };
  return { clock, places, stop, taken, take, pauses };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('places', () => {
  test('are given to the item that comes first in the input', async () => {
    const { take, taken } = open(1);
    const first = await take(5);
    const later = [take(9), take(2), take(7)];
    first?.release();
    await nextTurn();
    expect(taken).toEqual([5, 2]);
    for (const place of [later[1], later[2], later[0]]) (await place)?.release();
    expect(taken).toEqual([5, 2, 7, 9]);
  });

  test('are free for others while a refused item waits', async () => {
    const { take, taken, clock } = open(2);
    const refused = await take(1);
    const other = await take(2);
    await clock.advance(1);
    refused?.refuse(9000);
    void take(1, 9000);
    void take(3);
    other?.release();
    await clock.advance(8000);
    expect(taken).toEqual([1, 2, 3]);
    await clock.advance(1000);
    expect(taken).toEqual([1, 2, 3, 1]);
  });

  test('Y7: report a pause of all requests once', async () => {
    const { take, pauses, clock, places } = open(1);
    const place = await take(1);
    await clock.advance(5);
    place?.refuse(6000);
    void take(1, 6000);
    await nextTurn();
    expect([pauses, places.pauseRemaining()]).toEqual([[6000], 6000]);
    await clock.advance(2000);
    expect(places.pauseRemaining()).toBe(4000);
    await clock.advance(4000);
    expect([pauses, places.pauseRemaining()]).toEqual([[6000], 0]);
  });

  test('end all waits when the run stops, and leave no listener or timer', async () => {
    const { take, stop, clock } = open(1);
    const place = await take(1);
    const waiting = [take(2), take(3, 5000)];
    await nextTurn();
    stop.abort();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    place?.release();
    await nextTurn();
    expect(clock.sleeping()).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('watch a signal with one listener, however many requests wait', async () => {
    const { take, stop } = open(1);
    const place = await take(1);
    const waiting = [take(2), take(3), take(4)];
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    place?.release();
    expect(await waiting[0]).toBeDefined();
    stop.abort();
    expect(await Promise.all(waiting.slice(1))).toEqual([undefined, undefined]);
  });

  test('respect a rate limit, in the order of the input', async () => {
    const { take, taken, clock } = open(8, 60);
    const all = [1, 2, 3].map((order) => take(order));
    await nextTurn();
    expect(taken).toEqual([1]);
    await clock.advance(1000);
    await clock.advance(1000);
    await Promise.all(all);
    expect(taken).toEqual([1, 2, 3]);
  });

  test('waiting for a rate limit ends when the run stops', async () => {
    const { take, stop } = open(8, 1);
    const all = [1, 2, 3].map((order) => take(order));
    await nextTurn();
    stop.abort();
    const [first, ...others] = await Promise.all(all);
    expect([first === undefined, others]).toEqual([false, [undefined, undefined]]);
  });
});
