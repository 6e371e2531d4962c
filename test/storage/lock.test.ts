import fs, { existsSync, readdirSync, readFileSync, rmSync, statSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  awaitLock,
  holdLock,
  isHeldElsewhere,
  type LockOptions,
  withLock,
} from '../../src/storage/lock.ts';
import { hold, holding, leaveText, newLockPath, processOn, leaveLock } from './lock-fixtures.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { failureOf } from '../settings/fixtures/stored.ts';

let lock: string;
beforeEach(() => {
  lock = newLockPath();
});
afterEach(() => vi.restoreAllMocks());

const minute = 60_000;
const elsewhere = { host: 'two', space: 'boot2 namespace1' };

describe('a held lock', () => {
  test('names host, boot, namespace, process and start time, and is removed on release', () => {
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
    hold(lock);
    expect(holdLock(lock, holding(processOn(43, { running: { 42: '100' } })))).toMatchObject({
      isHeld: false,
      holder: { processId: 42, host: 'one' },
      since: new Date('2026-11-20T12:00:00Z'),
    });
  });

  test('X8: is renewed every ten seconds, and taken again if it was deleted, until it is released', async () => {
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

const day = 24 * 60 * minute;

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
    ['X8: on a different host, with a clock an hour ahead', elsewhere, -60 * minute, on({}), true],
    ['X8: on a copy of a virtual machine with its boot', { host: 'two' }, 1000, on({}), false],
    ['of a running process without boot ids', bare, 1000, onBare({ 42: 'x' }), false],
    ['of a dead process without boot ids', bare, 0, onBare({}), true],
    ['of a reused process id without boot ids', bare, old, onBare({ 42: 'x' }), true],
  ])('D8 %s', (_whose, owner, age, process, isTaken) => {
    leaveLock(lock, owner, age);
    expect(holdLock(lock, holding(process)).isHeld).toBe(isTaken);
  });

  test.each([
    ['that is still empty', '', 0, false],
    ['that has been empty for three seconds', '', 3000, true],
    ['that is incomplete', '{"host":"one","proc', 3000, true],
    ['that is a file of a different program', 'pinned = true\n', day, false],
  ])('%s', (_what, content, age, isTaken) => {
    leaveText(lock, content, age);
    expect(holdLock(lock, holding(processOn(7))).isHeld).toBe(isTaken);
    expect(readFileSync(lock, 'utf8') === content).toBe(!isTaken);
  });
});

test('X7: a process killed while it removes a lock blocks others for at most a minute', () => {
  leaveLock(lock);
  const next = () => holdLock(lock, holding(processOn(7, { running: {} }))).isHeld;
  leaveText(`${lock}.left`, '');
  expect(next()).toBe(false);
  leaveText(`${lock}.left`, '', minute + 1000);
  expect(next()).toBe(true);
  expect(readdirSync(path.dirname(lock))).toEqual(['lock']);
});

/** Opens files after so many failures with a code of the system. */
function failing(times: number, code: string) {
  const open = fs.openSync.bind(fs);
  let calls = 0;
  return vi.spyOn(fs, 'openSync').mockImplementation((...words) => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error(code), { code });
    return open(...words);
  });
}

test.skipIf(process.platform === 'win32')('other accounts can read a lock', () => {
  hold(lock);
  // Exact, unless the umask of the test run is unusual.
  expect(statSync(lock).mode & 0o777).toBe(0o644 & ~process.umask());
});

test.each(['EPERM', 'EBUSY'])(
  'a lock that another process is removing on Windows (%s) is taken after it is gone',
  (code) => {
    failing(2, code);
    hold(lock);
    vi.restoreAllMocks();
    failing(2, code);
    expect(isHeldElsewhere(lock, processOn(43, { running: { 42: '100' } }))).toBe(true);
  },
);

test('a folder that cannot be written is a failure', () => {
  failing(Infinity, 'EPERM');
  expect(() => hold(lock)).toThrow('EPERM');
  vi.restoreAllMocks();
  const denied = failing(Infinity, 'EACCES');
  expect(() => hold(lock)).toThrow('EACCES');
  expect(denied).toHaveBeenCalledTimes(1);
});

/** Options of a process whose clock skips waits; `onSleep` simulates what others do meanwhile. */
function skipping(process = processOn(7), onSleep = (_slept: number) => {}): LockOptions {
  let elapsed = 0;
  const start = Date.now();
  const clock = {
    ...createFakeClock(),
    date: () => new Date(start + elapsed),
    monotonic: () => elapsed,
    async sleep(milliseconds: number) {
      elapsed += milliseconds;
      onSleep(elapsed);
    },
  };
  return { clock, process };
}

describe('withLock', () => {
  test('breaks the lock of a dead process, and holds its own only during the action', async () => {
    leaveLock(lock);
    const content = await withLock(lock, skipping(), () => readFileSync(lock, 'utf8'));
    expect(content).toContain('"processId":7');
    expect(readdirSync(path.dirname(lock))).toEqual([]);
    const running = withLock(lock, skipping(), () => {
      throw new Error('on purpose');
    });
    await expect(running).rejects.toThrow('on purpose');
    expect(existsSync(lock)).toBe(false);
  });

  test.each([
    ['result', () => 'done', 'done'],
    ['error', () => Promise.reject(new Error('on purpose')), 'on purpose'],
  ])('keeps the %s of the action if the lock cannot be removed', async (_, action, expected) => {
    const running = withLock(lock, skipping(), () => {
      // A folder in place of the lock can be neither read nor removed.
      rmSync(lock);
      mkdirSync(lock);
      return action();
    });
    await expect(running.catch((error: Error) => error.message)).resolves.toBe(expected);
    expect(statSync(lock).isDirectory()).toBe(true);
  });

  test('D17 runs one action at a time', async () => {
    let count = 0;
    const running = processOn(7, { running: { 7: '100' } });
    const increase = () =>
      withLock(lock, skipping(running), () => {
        const before = count;
        count = before + 1;
        return existsSync(lock);
      });
    const held = await Promise.all(Array.from({ length: 10 }, increase));
    expect(held).not.toContain(false);
    expect(count).toBe(10);
  });

  test('waits ten seconds for a running process, then fails and keeps its lock', async () => {
    leaveLock(lock);
    const waiting = skipping(processOn(7, { running: { 42: '100' } }));
    const failure = await failureOf(() => withLock(lock, waiting, () => undefined));
    expect(failure.kind).toBe('storage');
    expect(failure.message).toContain(`another natter (process 42 on one) has locked ${lock}`);
    expect(failure.hint).toContain('delete that file');
    expect(readFileSync(lock, 'utf8')).toContain('"processId":42');
    expect(waiting.clock.monotonic()).toBeLessThan(10_100);
  });
});

/** Options of a process on host one; `onSleep` simulates what host two does meanwhile. */
function watching(onSleep: (slept: number) => void, process = processOn(42)) {
  const waits: number[] = [];
  const options = skipping(process, onSleep);
  const watch = () => awaitLock(lock, options, (_holder, longest) => void waits.push(longest));
  return { watch, waits, slept: () => options.clock.monotonic() };
}

test.each([
  ['is renewed', 30_000, 8000, 0],
  // The clock of the file system is the real one, so the test changes the time of the lock instead.
  ['is dead', 40_000, 2000, 61_000],
])('X8: the wait for a lock of a different host ends when it %s', async (_how, age, end, next) => {
  leaveLock(lock, elsewhere, age);
  const { watch, waits, slept } = watching((elapsed) => {
    if (elapsed >= end) leaveText(lock, readFileSync(lock, 'utf8'), next);
  });
  await watch();
  expect(slept()).toBe(end);
  expect(waits).toHaveLength(1);
  // The file system's clock may be a few milliseconds late.
  expect(Math.abs((waits[0] ?? 0) - (minute - age))).toBeLessThan(10_000);
});

test.each<[string, (string | Record<number, string>)?]>([
  ['that is free'],
  ['that is not a lock', 'notes\n'],
  ['of a dead process', {}],
  ['of a running process', { 42: '100' }],
])('there is no wait for a lock %s', async (_what, left) => {
  if (typeof left === 'string') leaveText(lock, left);
  else if (left !== undefined) leaveLock(lock);
  const running = typeof left === 'object' ? left : {};
  const { watch, waits, slept } = watching(() => undefined, processOn(7, { running }));
  await watch();
  expect({ waits, slept: slept() }).toEqual({ waits: [], slept: 0 });
});
