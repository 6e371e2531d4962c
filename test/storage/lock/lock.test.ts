import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { type LockOptions, withLock } from '../../../src/storage/lock/lock.ts';

import { leaveLock, processOn } from '../lock-fixtures.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { failureOf } from '../../settings/fixtures/stored.ts';
import { folderOf } from '../../support/folder.ts';

/** A clock that skips waits. */
function skippingClock() {
  let elapsed = 0;
  const start = Date.now();
  return {
    ...createFakeClock(),
    date: () => new Date(start + elapsed),
    monotonic: () => elapsed,
    sleep(milliseconds: number) {
      elapsed += milliseconds;
      return Promise.resolve();
    },
  };
}

function options(running: readonly number[]): LockOptions {
  return {
    clock: skippingClock(),
    process: { id: process.pid, isRunning: (id) => running.includes(id) },
  };
}

const run = (lock: string, running: readonly number[] = []) =>
  withLock(lock, options(running), () => readFileSync(lock, 'utf8'));

describe('withLock', () => {
  test('holds the lock only during the action', async () => {
    const lock = path.join(folderOf(), 'lock');
    expect(await run(lock)).toContain(`"processId":${process.pid}`);
    expect(existsSync(lock)).toBe(false);
  });

  test('releases the lock when the action throws', async () => {
    const lock = path.join(folderOf(), 'lock');
    const failing = withLock(lock, options([]), () => {
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(existsSync(lock)).toBe(false);
  });

  test.each([
    ['result', () => 'done', 'done'],
    ['error', () => Promise.reject(new Error('on purpose')), 'on purpose'],
  ])('keeps the %s of the action if the lock cannot be removed', async (_, action, expected) => {
    const lock = path.join(folderOf(), 'lock');
    const running = withLock(lock, options([]), () => {
      // A folder in place of the lock can be neither read nor removed.
      rmSync(lock);
      mkdirSync(lock);
      return action();
    });
    await expect(running.catch((error: Error) => error.message)).resolves.toBe(expected);
    expect(statSync(lock).isDirectory()).toBe(true);
  });

  test('D17 runs one action at a time', async () => {
    const lock = path.join(folderOf(), 'lock');
    let count = 0;
    const increase = () =>
      withLock(lock, options([process.pid]), () => {
        const before = count;
        count = before + 1;
        return existsSync(lock);
      });
    const held = await Promise.all(Array.from({ length: 10 }, increase));
    expect(held).not.toContain(false);
    expect(count).toBe(10);
  });

  test('breaks the lock of a dead process, and leaves no file', async () => {
    const folder = folderOf();
    const lock = path.join(folder, 'lock');
    leaveLock(lock, { processId: 4242 });
    const waiting = { ...options([]), process: processOn(7) };
    const content = await withLock(lock, waiting, () => readFileSync(lock, 'utf8'));
    expect(content).toContain('"processId":7');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('waits ten seconds for a running process, then fails and keeps its lock', async () => {
    const lock = path.join(folderOf(), 'lock');
    leaveLock(lock);
    const waiting = { ...options([]), process: processOn(7, { running: { 42: '100' } }) };
    const failure = await failureOf(() => withLock(lock, waiting, () => undefined));
    expect(failure.kind).toBe('storage');
    expect(failure.message).toContain(`another natter (process 42 on one) has locked ${lock}`);
    expect(failure.hint).toContain('delete that file');
    expect(readFileSync(lock, 'utf8')).toContain('"processId":42');
    expect(waiting.clock.monotonic()).toBeLessThan(10_100);
  });

  test('X8: breaks a lock of a different host that was not renewed for a minute', async () => {
    const lock = path.join(folderOf(), 'lock');
    const other = { ...options([]), process: processOn(7) };
    const use = () => withLock(lock, other, () => readFileSync(lock, 'utf8'));
    leaveLock(lock, { host: 'two' }, 20_000);
    const failure = await failureOf(use);
    expect(failure.kind).toBe('storage');
    expect(failure.hint).toContain('try again in a minute');
    leaveLock(lock, { host: 'two' }, 61_000);
    expect(await use()).toContain('"processId":7');
  });

  test('does not remove a lock that another process is removing', async () => {
    const lock = path.join(folderOf(), 'lock');
    leaveLock(lock, { processId: 4242 });
    const removal = `${lock}.left`;
    writeFileSync(removal, '');
    // Ten seconds of the test's clock may be a minute on a slow machine, after which the removal is stale.
    const later = new Date(Date.now() + 50_000);
    utimesSync(removal, later, later);
    const waiting = { ...options([]), process: processOn(7) };
    const failure = await failureOf(() => withLock(lock, waiting, () => undefined));
    expect(failure.kind).toBe('storage');
    expect(readFileSync(lock, 'utf8')).toContain('4242');
  });
});
