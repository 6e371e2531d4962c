import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { awaitLock, type LockOptions } from '../../../src/storage/lock/lock.ts';
import { leaveLock, leaveText, newLockPath, processOn } from '../lock-fixtures.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** Options of a process on host one; `onSleep` simulates what host two does meanwhile. */
function watching(onSleep: (slept: number) => void, process = processOn(42)) {
  let elapsed = 0;
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => {
    elapsed += milliseconds;
    onSleep(elapsed);
  };
  const clock = { ...createFakeClock(), monotonic: () => elapsed, sleep };
  const options: LockOptions = { process, clock };
  const watch = (lock: string) =>
    awaitLock(lock, options, (_holder, longest) => void waits.push(longest));
  return { watch, waits, slept: () => elapsed };
}

const two = { host: 'two', space: 'boot2 namespace1' };

test('X8: the wait for a lock of a different host ends at its next renewal', async () => {
  const lock = newLockPath();
  leaveLock(lock, two, 30_000);
  const { watch, waits, slept } = watching((elapsed) => {
    if (elapsed >= 8000) leaveText(lock, readFileSync(lock, 'utf8'), 0);
  });
  await watch(lock);
  expect(existsSync(lock)).toBe(true);
  expect(slept()).toBe(8000);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(20_000);
  // The file system's clock may be a few milliseconds late.
  expect(waits[0]).toBeLessThan(30_050);
});

test('X8: the wait for an unrenewed lock ends when the lock is dead', async () => {
  const lock = newLockPath();
  leaveLock(lock, two, 40_000);
  const text = readFileSync(lock, 'utf8');
  // The clock of the file system is the real one, so the test changes the time of the lock instead.
  const { watch, waits, slept } = watching((elapsed) => {
    if (elapsed < 2000) return;
    leaveText(lock, text, 61_000);
  });
  await watch(lock);
  expect(waits).toHaveLength(1);
  expect(slept()).toBe(2000);
});

test.each<[string, (string | Record<number, string>)?]>([
  ['that is free'],
  ['that is not a lock', 'notes\n'],
  ['of a dead process', {}],
  ['of a running process', { 42: '100' }],
])('there is no wait for a lock %s', async (_what, left) => {
  const lock = newLockPath();
  if (typeof left === 'string') leaveText(lock, left);
  else if (left !== undefined) leaveLock(lock);
  const running = typeof left === 'object' ? left : {};
  const { watch, waits, slept } = watching(() => undefined, processOn(7, { running }));
  await watch(lock);
  expect({ waits, slept: slept() }).toEqual({ waits: [], slept: 0 });
});
