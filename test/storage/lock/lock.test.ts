import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { type LockOptions, withLock } from '../../../src/storage/lock/lock.ts';

import { leaveLock, newLockPath, processOn } from '../lock-fixtures.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { failureOf } from '../../settings/fixtures/stored.ts';

/** Options of a process whose clock skips waits. */
function options(process = processOn(7)): LockOptions {
  let elapsed = 0;
  const start = Date.now();
  const clock = {
    ...createFakeClock(),
    date: () => new Date(start + elapsed),
    monotonic: () => elapsed,
    async sleep(milliseconds: number) {
      elapsed += milliseconds;
    },
  };
  return { clock, process };
}

describe('withLock', () => {
  test('breaks the lock of a dead process, and holds its own only during the action', async () => {
    const lock = newLockPath();
    leaveLock(lock);
    const content = await withLock(lock, options(), () => readFileSync(lock, 'utf8'));
    expect(content).toContain('"processId":7');
    expect(readdirSync(path.dirname(lock))).toEqual([]);
    const failing = withLock(lock, options(), () => {
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(existsSync(lock)).toBe(false);
  });

  test.each([
    ['result', () => 'done', 'done'],
    ['error', () => Promise.reject(new Error('on purpose')), 'on purpose'],
  ])('keeps the %s of the action if the lock cannot be removed', async (_, action, expected) => {
    const lock = newLockPath();
    const running = withLock(lock, options(), () => {
      // A folder in place of the lock can be neither read nor removed.
      rmSync(lock);
      mkdirSync(lock);
      return action();
    });
    await expect(running.catch((error: Error) => error.message)).resolves.toBe(expected);
    expect(statSync(lock).isDirectory()).toBe(true);
  });

  test('D17 runs one action at a time', async () => {
    const lock = newLockPath();
    let count = 0;
    const running = processOn(7, { running: { 7: '100' } });
    const increase = () =>
      withLock(lock, options(running), () => {
        const before = count;
        count = before + 1;
        return existsSync(lock);
      });
    const held = await Promise.all(Array.from({ length: 10 }, increase));
    expect(held).not.toContain(false);
    expect(count).toBe(10);
  });

  test('waits ten seconds for a running process, then fails and keeps its lock', async () => {
    const lock = newLockPath();
    leaveLock(lock);
    const waiting = options(processOn(7, { running: { 42: '100' } }));
    const failure = await failureOf(() => withLock(lock, waiting, () => undefined));
    expect(failure.kind).toBe('storage');
    expect(failure.message).toContain(`another natter (process 42 on one) has locked ${lock}`);
    expect(failure.hint).toContain('delete that file');
    expect(readFileSync(lock, 'utf8')).toContain('"processId":42');
    expect(waiting.clock.monotonic()).toBeLessThan(10_100);
  });
});
