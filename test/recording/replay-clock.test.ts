import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createReplayClock } from '../../src/recording/replay.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const { signal } = new AbortController();

test.each([
  [1, 1000],
  [10, 100],
  [0.5, 2000],
])('at speed %d a second takes %d ms', async (speed, milliseconds) => {
  const real = createFakeClock();
  const clock = createReplayClock(real, speed);
  let isOver = false;
  void clock.until(1000, signal).then(() => (isOver = true));
  await real.advance(milliseconds - 1);
  await turn();
  expect(isOver).toBe(false);
  await real.advance(1);
  await turn();
  expect(isOver).toBe(true);
  expect(clock.monotonic()).toBe(1000);
});

test('shortens sleeps by the speed, so that retries and time limits keep their proportions', async () => {
  const real = createFakeClock();
  const clock = createReplayClock(real, 10);
  let isOver = false;
  void clock.sleep(3000).then(() => (isOver = true));
  await real.advance(299);
  await turn();
  expect(isOver).toBe(false);
  await real.advance(1);
  await turn();
  expect(isOver).toBe(true);
});

test('continues the date from that of the recording', async () => {
  const real = createFakeClock();
  const clock = createReplayClock(real, 2);
  clock.setDate(new Date('2020-01-01T00:00:00Z'));
  await real.advance(5000);
  expect(clock.date()).toEqual(new Date('2020-01-01T00:00:10Z'));
});

test('with infinite speed, waits for nothing and shows the recorded times', async () => {
  const real = createFakeClock();
  const clock = createReplayClock(real, Number.POSITIVE_INFINITY);
  await clock.until(90_000, signal);
  expect([clock.monotonic(), real.sleeping()]).toEqual([90_000, 0]);
  await clock.until(10, signal);
  expect(clock.monotonic()).toBe(90_000);
  const slept = clock.sleep(4000);
  await real.advance(0);
  await slept;
  expect(clock.monotonic()).toBe(94_000);
});

test('with infinite speed, a sleep ends only after all events of the replay', async () => {
  const real = createFakeClock();
  let turns = 0;
  const clock = createReplayClock(
    {
      ...real,
      async sleep() {
        turns += 1;
        if (turns < 4) await clock.until(5000, signal);
      },
    },
    Number.POSITIVE_INFINITY,
  );
  await clock.sleep(10);
  expect([turns, clock.monotonic()]).toEqual([4, 5000]);
});

test.each([1, Number.POSITIVE_INFINITY])('speed %d: an aborted wait ends', async (speed) => {
  const clock = createReplayClock(createFakeClock(), speed);
  const stop = new AbortController();
  const waits = [clock.sleep(1000, stop.signal), clock.until(1000, AbortSignal.abort('stop'))];
  stop.abort('stop');
  for (const wait of waits) await expect(wait).rejects.toBe('stop');
});
