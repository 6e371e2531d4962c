import fs, { existsSync, readFileSync, statSync } from 'node:fs';

import { afterEach, expect, test, vi } from 'vitest';

import { createLock, createOwner, findLock, releaseLock } from '../../../src/storage/lock/lock.ts';
import { leaveLock, newLockPath, processOn } from '../lock-fixtures.ts';

const owner = createOwner(processOn(42), new Date());

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

afterEach(() => vi.restoreAllMocks());

test.skipIf(process.platform === 'win32')('other accounts can read a lock', () => {
  const lock = newLockPath();
  expect(createLock(lock, owner)).toBe(true);
  // Exact, unless the umask of the test run is unusual.
  expect(statSync(lock).mode & 0o777).toBe(0o644 & ~process.umask());
});

test.each(['EPERM', 'EBUSY'])(
  'a lock that another process is removing on Windows (%s) is taken after it is gone',
  (code) => {
    const lock = newLockPath();
    failing(2, code);
    expect(createLock(lock, owner)).toBe(true);
    vi.restoreAllMocks();
    failing(2, code);
    expect(findLock(lock)?.token).toBe(owner.token);
  },
);

test('a folder that cannot be written is a failure', () => {
  const lock = newLockPath();
  failing(Infinity, 'EPERM');
  expect(() => createLock(lock, owner)).toThrow('EPERM');
  vi.restoreAllMocks();
  const denied = failing(Infinity, 'EACCES');
  expect(() => createLock(lock, owner)).toThrow('EACCES');
  expect(denied).toHaveBeenCalledTimes(1);
});

test('releaseLock keeps the lock of another process', () => {
  const lock = newLockPath();
  leaveLock(lock);
  releaseLock(lock, 'token');
  expect(readFileSync(lock, 'utf8')).toContain('"token":"left"');
  releaseLock(lock, 'left');
  expect(existsSync(lock)).toBe(false);
});
