import { getEventListeners } from 'node:events';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { stopWatching, watchAbort } from '../../../src/client/http/undici/abort-watch.ts';

function watched(signal: AbortSignal) {
  const seen = { aborts: 0, abort: () => void (seen.aborts += 1) };
  watchAbort(signal, seen);
  return seen;
}

test('requests with one signal share a listener, and those that run end when it aborts', () => {
  const stop = new AbortController();
  const [first, second, third] = [1, 2, 3].map(() => watched(stop.signal));
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
  if (second !== undefined) stopWatching(stop.signal, second);
  stop.abort();
  expect([first, second, third].map((one) => one?.aborts)).toEqual([1, 0, 1]);
});

test('a request that follows in the same turn uses the listener of the one before', async () => {
  const stop = new AbortController();
  const first = watched(stop.signal);
  const [listener] = getEventListeners(stop.signal, 'abort');
  stopWatching(stop.signal, first);
  const second = watched(stop.signal);
  await tick();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([listener]);
  stopWatching(stop.signal, second);
  await tick();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  const third = watched(stop.signal);
  stop.abort();
  expect([first.aborts, second.aborts, third.aborts]).toEqual([0, 0, 1]);
});
