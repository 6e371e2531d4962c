import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../src/terminal/live/live-pace.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

test('P20 a change of the window that is seen right before an update puts it off', async () => {
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
