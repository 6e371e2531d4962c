import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { holdLock } from '../../../src/storage/lock/lock.ts';
import { hold, holding, leaveLock, leaveText, newLockPath, processOn } from '../lock-fixtures.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const elsewhere = { host: 'two', space: 'boot2 namespace1' };

describe('a lock of a dead process', () => {
  const onOne = (running: Record<number, string>) => processOn(7, { running });
  const inContainer = 'boot1 namespace9';

  test.each([
    ['X7: of a dead process', {}, 0, onOne({}), true],
    ['X7: of a running process', {}, day, onOne({ 42: '100' }), false],
    ['X7: of a process whose id a different process has now', {}, 0, onOne({ 42: '999' }), true],
    ['X7: of a zombie process', {}, 0, onOne({ 42: 'dead' }), true],
    [
      'X7: of process 1, found by a later process 1 in a namespace of the same number',
      { processId: 1 },
      0,
      processOn(1, { running: { 1: '200' } }),
      true,
    ],
    [
      'X7: in a different container, renewed just now',
      {},
      1000,
      processOn(42, { space: inContainer }),
      false,
    ],
    [
      'X7: in a different container, not renewed for a minute',
      {},
      minute + 1000,
      processOn(42, { space: inContainer }),
      true,
    ],
    [
      'X7: from before a restart of the machine, renewed just now',
      {},
      1000,
      processOn(42, { space: 'boot9 namespace1' }),
      false,
    ],
    [
      'X7: from before a restart of the machine, not renewed for a minute',
      {},
      minute + 1000,
      processOn(42, { space: 'boot9 namespace1' }),
      true,
    ],
    ['X8: on a different host, renewed just now', elsewhere, 1000, onOne({}), false],
    ['X8: on a different host, renewed 45 s ago', elsewhere, 45_000, onOne({}), false],
    [
      'X8: on a different host, not renewed for a minute',
      elsewhere,
      minute + 1000,
      onOne({}),
      true,
    ],
    [
      'X8: on a different host of the same boot, as in copies of a virtual machine',
      { host: 'two' },
      1000,
      onOne({}),
      false,
    ],
    [
      'of a running process on a system without boot ids',
      { space: undefined, start: undefined },
      1000,
      processOn(7, { space: undefined, running: { 42: 'x' } }),
      false,
    ],
    [
      'of a dead process on a system without boot ids',
      { space: undefined, start: undefined },
      0,
      processOn(7, { space: undefined, running: {} }),
      true,
    ],
    [
      'of a reused process id on a system without boot ids',
      { space: undefined, start: undefined },
      minute + 1000,
      processOn(7, { space: undefined, running: { 42: 'x' } }),
      true,
    ],
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
