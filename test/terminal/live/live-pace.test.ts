import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../src/terminal/live/live-pace.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

test('P20 a resize noticed directly before an update delays it', async () => {
  const clock = createFakeClock();
  const updates: number[] = [];
  let hasChanged = true;
  const pace = createPace(
    clock,
    () => void updates.push(clock.monotonic()),
    () => {
      if (hasChanged) pace.after(100);
      hasChanged = false;
    },
  );
  const start = clock.monotonic();
  pace.soon();
  await tick();
  expect(updates).toEqual([]);
  await clock.advance(99);
  await tick();
  expect(updates).toEqual([]);
  await clock.advance(1);
  await tick();
  expect(updates).toEqual([start + 100]);
});

test('an update waits until a slow terminal has accepted the previous one', async () => {
  const clock = createFakeClock();
  let resolve = () => {};
  const taken = new Promise<void>((done) => (resolve = done));
  let updates = 0;
  const pace = createPace(clock, () => {
    updates += 1;
    return taken;
  });
  pace.soon();
  await tick();
  pace.soon();
  await clock.advance(1000);
  await tick();
  expect([updates, pace.slowness()]).toEqual([1, taken]);
  resolve();
  await tick();
  expect(updates).toBe(2);
});
