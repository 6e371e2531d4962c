import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { holdLock } from '../../../src/storage/lock/lock.ts';
import { hold, holding, leaveText, newLockPath, processOn } from '../lock-fixtures.ts';

const minute = 60_000;
const elsewhere = { host: 'two', space: 'boot2 namespace1' };

describe('a held lock', () => {
  test('names host, boot, namespace, process and start time, and is removed on release', () => {
    const lock = newLockPath();
    const held = hold(lock);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({
      host: 'one',
      space: 'boot1 namespace1',
      processId: 42,
      start: '100',
      since: '2026-11-20T12:00:00.000Z',
    });
    held.release();
    expect(readdirSync(path.dirname(lock))).toEqual([]);
  });

  test('reports its owner, and when it was taken, to the next process', () => {
    const lock = newLockPath();
    hold(lock);
    expect(holdLock(lock, holding(processOn(43, { running: { 42: '100' } })))).toMatchObject({
      isHeld: false,
      holder: { processId: 42, host: 'one' },
      since: new Date('2026-11-20T12:00:00Z'),
    });
  });

  test('X8: is renewed every ten seconds, and taken again if it was deleted, until it is released', async () => {
    const lock = newLockPath();
    const options = holding(processOn(42));
    const held = hold(lock, options);
    for (const _round of [1, 2]) {
      leaveText(lock, readFileSync(lock, 'utf8'), 50_000);
      await options.clock.advance(10_000);
      expect(Date.now() - statSync(lock).mtimeMs).toBeLessThan(20_000);
    }
    rmSync(lock);
    await options.clock.advance(10_000);
    expect(held.isKept()).toBe(true);
    expect(existsSync(lock)).toBe(true);
    held.release();
    await options.clock.advance(10_000);
    expect(existsSync(lock)).toBe(false);
  });

  test('X8: is lost when another process takes it over, which its owner detects on wake-up', async () => {
    const lock = newLockPath();
    const options = holding(processOn(42));
    const held = hold(lock, options);
    leaveText(lock, readFileSync(lock, 'utf8'), 2 * minute);
    hold(lock, holding(processOn(1, elsewhere)));
    expect(held.isKept()).toBe(true);
    await options.clock.advance(25_000);
    expect(held.isKept()).toBe(false);
    held.release();
    expect(readFileSync(lock, 'utf8')).toContain('"host":"two"');
  });
});
