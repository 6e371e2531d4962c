import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../src/terminal/region/region.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

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

test('the next update is 33 ms after the last one', async () => {
  const clock = createFakeClock();
  const pace = createPace(clock, () => undefined);
  expect(pace.nextUpdate()).toBeUndefined();
  pace.soon();
  await tick();
  const reached: string[] = [];
  void pace.nextUpdate()?.then(() => reached.push('next'));
  await clock.advance(32);
  await tick();
  expect(reached).toEqual([]);
  await clock.advance(1);
  await tick();
  expect(reached).toEqual(['next']);
  expect(pace.nextUpdate()).toBeUndefined();
});

test('waiting for an update ends with the region', async () => {
  const clock = createFakeClock();
  const pace = createPace(clock, () => undefined);
  pace.soon();
  await tick();
  const waiting = pace.nextUpdate();
  pace.end();
  await expect(waiting).resolves.toBeUndefined();
});
