import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { awaitLock, type AwaitOptions } from '../../../src/storage/lock/await-lock.ts';
import { leaveLock, leaveText, newLockPath, oldLock, processOn } from '../lock-fixtures.ts';

/** Options of a process on host one; `onSleep` simulates what host two does meanwhile. */
function watching(onSleep: (slept: number) => void) {
  let elapsed = 0;
  const waits: number[] = [];
  const options: AwaitOptions = {
    process: processOn(42),
    clock: {
      monotonic: () => elapsed,
      async sleep(milliseconds) {
        elapsed += milliseconds;
        onSleep(elapsed);
      },
    },
    onWait: (_holder, longest) => void waits.push(longest),
  };
  return { options, waits, slept: () => elapsed };
}

const two = { host: 'two', space: { boot: 'b2', namespace: 'n1' } };

test('X8: the wait for a lock of a different host ends at its next renewal', async () => {
  const lock = newLockPath();
  leaveLock(lock, two, 30_000);
  const { options, waits, slept } = watching((elapsed) => {
    if (elapsed >= 8000) leaveText(lock, readFileSync(lock, 'utf8'), 0);
  });
  await awaitLock(lock, options);
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
  const { options, waits } = watching(() => undefined);
  // The clock of the file system is the real one, so the test changes the time of the lock instead.
  const sleeping = watching((elapsed) => {
    if (elapsed < 2000) return;
    leaveText(lock, text, 61_000);
  });
  await awaitLock(lock, { ...options, clock: sleeping.options.clock });
  expect(waits).toHaveLength(1);
  expect(sleeping.slept()).toBe(2000);
});

test('X8: an unrenewed lock is removed after a minute, even if the clock of its file system has stopped', async () => {
  const lock = newLockPath();
  leaveLock(lock, two, -3000);
  const { options, slept } = watching(() => undefined);
  await awaitLock(lock, options);
  expect(existsSync(lock)).toBe(false);
  expect(slept()).toBe(60_000);
});

test.each([
  ['that is free', undefined],
  ['of an older version, which does not renew it', oldLock(42, 'elsewhere')],
  ['that is not a lock', 'notes\n'],
])('there is no wait for a lock %s', async (_what, content) => {
  const lock = newLockPath();
  if (content !== undefined) leaveText(lock, content);
  const { options, waits, slept } = watching(() => undefined);
  await awaitLock(lock, options);
  expect({ waits, slept: slept() }).toEqual({ waits: [], slept: 0 });
});

test('there is no wait for the lock of a process known to be running or dead', async () => {
  for (const running of [{}, { 42: '100' }]) {
    const lock = newLockPath();
    leaveLock(lock);
    const { options, waits } = watching(() => undefined);
    await awaitLock(lock, { ...options, process: processOn(7, { running }) });
    expect(waits).toEqual([]);
  }
});
