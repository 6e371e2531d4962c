import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { type LockClock, type LockOptions, withLock } from '../../src/storage/lock.ts';
import { failureOf, temporaryFolder } from '../settings/fixtures/stored.ts';

function fakeClock(): LockClock {
  let elapsed = 0;
  const start = Date.now();
  return {
    date: () => new Date(start + elapsed),
    monotonic: () => elapsed,
    sleep(milliseconds) {
      elapsed += milliseconds;
      return Promise.resolve();
    },
  };
}

function options(running: readonly number[]): LockOptions {
  return {
    clock: fakeClock(),
    process: { id: process.pid, isRunning: (id) => running.includes(id) },
  };
}

const run = (lock: string, running: readonly number[] = []) =>
  withLock(lock, options(running), () => readFileSync(lock, 'utf8'));

describe('withLock', () => {
  test('holds the lock during the action only', async () => {
    const lock = path.join(temporaryFolder(), 'lock');
    expect(await run(lock)).toContain(`${os.hostname()} ${process.pid} `);
    expect(existsSync(lock)).toBe(false);
  });

  test('releases the lock when the action throws', async () => {
    const lock = path.join(temporaryFolder(), 'lock');
    const failing = withLock(lock, options([]), () => {
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(existsSync(lock)).toBe(false);
  });

  test('D17 lets no two actions run at once', async () => {
    const lock = path.join(temporaryFolder(), 'lock');
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

  test('breaks the lock of a process that is gone, and leaves nothing behind', async () => {
    const folder = temporaryFolder();
    const lock = path.join(folder, 'lock');
    writeFileSync(lock, `${os.hostname()} 4242 token`);
    expect(await run(lock)).not.toContain('4242');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('waits ten seconds for a living process, then gives up and leaves its lock', async () => {
    const lock = path.join(temporaryFolder(), 'lock');
    writeFileSync(lock, `${os.hostname()} 4242 token`);
    const failure = await failureOf(() => run(lock, [4242]));
    expect(failure.kind).toBe('storage');
    expect(failure.message).toContain(lock);
    expect(failure.hint).toContain('delete that file');
    expect(readFileSync(lock, 'utf8')).toContain('4242');
  });

  test.each([
    ['of another machine', 'elsewhere 4242 token'],
    ['of a process id used again', `${os.hostname()} 4242 token`],
  ])('breaks a lock %s once it is old', async (_whose, content) => {
    const lock = path.join(temporaryFolder(), 'lock');
    writeFileSync(lock, content);
    expect((await failureOf(() => run(lock, [4242]))).kind).toBe('storage');
    const past = new Date(Date.now() - 31_000);
    utimesSync(lock, past, past);
    expect(await run(lock, [4242])).toContain(` ${process.pid} `);
  });

  test('breaks a lock that its maker never signed after two seconds', async () => {
    const lock = path.join(temporaryFolder(), 'lock');
    writeFileSync(lock, '');
    const waiting = options([]);
    expect(await withLock(lock, waiting, () => waiting.clock.monotonic())).toBeGreaterThan(1900);
  });

  test('does not remove a lock that another waiter is about to remove', async () => {
    const lock = path.join(temporaryFolder(), 'lock');
    writeFileSync(lock, `${os.hostname()} 4242 token`);
    writeFileSync(`${lock}.token`, '');
    expect((await failureOf(() => run(lock))).kind).toBe('storage');
    expect(readFileSync(lock, 'utf8')).toContain('4242');
  });
});
