import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { holdLock, type HoldOptions } from '../../src/storage/hold-lock.ts';
import { temporaryFolder } from '../settings/fixtures/stored.ts';

const options = (running: readonly number[]): HoldOptions => ({
  clock: { date: () => new Date() },
  process: { id: process.pid, isRunning: (id) => running.includes(id) },
});

const lockPath = () => path.join(temporaryFolder(), 'lock');

function hold(lock: string, running: readonly number[] = []) {
  const taken = holdLock(lock, options(running));
  if (!taken.isHeld) throw new Error('the lock was refused');
  return taken;
}

function leave(lock: string, content: string, age: number): void {
  writeFileSync(lock, content);
  const time = new Date(Date.now() - age);
  utimesSync(lock, time, time);
}

describe('holdLock', () => {
  test('keeps the lock until it is released', () => {
    const lock = lockPath();
    const held = hold(lock);
    expect(readFileSync(lock, 'utf8')).toContain(`${os.hostname()} ${process.pid} `);
    held.release();
    expect(existsSync(lock)).toBe(false);
  });

  test('tells the second who holds it', () => {
    const lock = lockPath();
    hold(lock, [process.pid]);
    expect(holdLock(lock, options([process.pid]))).toMatchObject({
      isHeld: false,
      holder: { processId: process.pid, host: os.hostname() },
    });
  });

  const restarted = os.uptime() * 1000 + 60_000;
  test.each([
    ['of a process that is gone', `${os.hostname()} 4242 token`, 0, [], true],
    ['of a process that lives', `${os.hostname()} 4242 token`, 1000, [4242], false],
    ['from before the machine started', `${os.hostname()} 4242 token`, restarted, [4242], true],
    ['of another machine, a minute old', 'elsewhere 4242 token', 60_000, [], false],
    ['of another machine, two days old', 'elsewhere 4242 token', 172_800_000, [], true],
    ['that was not signed yet', '', 0, [], false],
    ['that was never signed', '', 3000, [], true],
  ])('D8 finds a lock %s', (_whose, content, age, running, isTaken) => {
    const lock = lockPath();
    leave(lock, content, age);
    expect(holdLock(lock, options(running)).isHeld).toBe(isTaken);
  });

  test('renewing makes the lock young again', () => {
    const lock = lockPath();
    const held = hold(lock);
    leave(lock, readFileSync(lock, 'utf8'), 172_800_000);
    held.renew();
    expect(holdLock(lock, options([process.pid])).isHeld).toBe(false);
  });

  test('does not release a lock that somebody else took over', () => {
    const lock = lockPath();
    const held = hold(lock);
    writeFileSync(lock, 'elsewhere 1 other');
    held.release();
    expect(existsSync(lock)).toBe(true);
  });
});
