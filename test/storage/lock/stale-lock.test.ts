import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { holdLock } from '../../../src/storage/lock/lock.ts';
import { hold, holding, leaveLock, leaveText, newLockPath, processOn } from '../lock-fixtures.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const elsewhere = { host: 'two', space: 'boot2 namespace1' };

describe('a lock of a dead process', () => {
  const on = (running: Record<number, string>) => processOn(7, { running });
  const container = processOn(42, { space: 'boot1 namespace9' });
  const restarted = processOn(42, { space: 'boot9 namespace1' });
  const later = processOn(1, { running: { 1: '200' } });
  /** Systems other than Linux have no boot ids. */
  const bare = { space: undefined, start: undefined };
  const onBare = (running: Record<number, string>) => processOn(7, { space: undefined, running });
  const old = minute + 1000;

  test.each([
    ['X7: of a dead process', {}, 0, on({}), true],
    ['X7: of a running process', {}, day, on({ 42: '100' }), false],
    ['X7: of a process whose id a different process has now', {}, 0, on({ 42: '999' }), true],
    ['X7: of a zombie process', {}, 0, on({ 42: 'dead' }), true],
    ['X7: of process 1, found by a later process 1', { processId: 1 }, 0, later, true],
    ['X7: in a different container, renewed just now', {}, 1000, container, false],
    ['X7: in a different container, not renewed for a minute', {}, old, container, true],
    ['X7: from before a restart, renewed just now', {}, 1000, restarted, false],
    ['X7: from before a restart, not renewed for a minute', {}, old, restarted, true],
    ['X8: on a different host, renewed 45 s ago', elsewhere, 45_000, on({}), false],
    ['X8: on a different host, not renewed for a minute', elsewhere, old, on({}), true],
    ['X8: on a copy of a virtual machine with its boot', { host: 'two' }, 1000, on({}), false],
    ['of a running process without boot ids', bare, 1000, onBare({ 42: 'x' }), false],
    ['of a dead process without boot ids', bare, 0, onBare({}), true],
    ['of a reused process id without boot ids', bare, old, onBare({ 42: 'x' }), true],
  ])('D8 %s', (_whose, owner, age, process, isTaken) => {
    const lock = newLockPath();
    leaveLock(lock, owner, age);
    expect(holdLock(lock, holding(process)).isHeld).toBe(isTaken);
  });

  test.each([
    ['that is still empty', '', 0, false],
    ['that has been empty for three seconds', '', 3000, true],
    ['that is incomplete', '{"host":"one","proc', 3000, true],
    ['that is a file of a different program', 'pinned = true\n', day, false],
  ])('%s', (_what, content, age, isTaken) => {
    const lock = newLockPath();
    leaveText(lock, content, age);
    expect(holdLock(lock, holding(processOn(7))).isHeld).toBe(isTaken);
    expect(readFileSync(lock, 'utf8') === content).toBe(!isTaken);
  });

  test('X8: two hosts with a shared folder never hold the lock at the same time', () => {
    const lock = newLockPath();
    const one = holding(processOn(42));
    const two = holding(processOn(42, { host: 'two', space: 'boot2 namespace1' }));
    const first = hold(lock, one);
    expect(holdLock(lock, two).isHeld).toBe(false);
    first.release();
    const second = hold(lock, two);
    expect(holdLock(lock, one).isHeld).toBe(false);
    leaveText(lock, readFileSync(lock, 'utf8'), 2 * minute);
    hold(lock, one);
    second.release();
    expect(readFileSync(lock, 'utf8')).toContain('"host":"one"');
  });
});

test('X8: a clock that is set back an hour does not keep an unrenewed lock', () => {
  const lock = newLockPath();
  leaveLock(lock, elsewhere, -60 * minute);
  expect(holdLock(lock, holding(processOn(7, { running: {} }))).isHeld).toBe(true);
});

test('X7: a process killed while it removes a lock blocks others for at most a minute', () => {
  const lock = newLockPath();
  leaveLock(lock);
  const next = () => holdLock(lock, holding(processOn(7, { running: {} }))).isHeld;
  leaveText(`${lock}.left`, '');
  expect(next()).toBe(false);
  leaveText(`${lock}.left`, '', minute + 1000);
  expect(next()).toBe(true);
  expect(readdirSync(path.dirname(lock))).toEqual(['lock']);
});
