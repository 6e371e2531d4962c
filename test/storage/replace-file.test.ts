import { expect, test } from 'vitest';
import { renameFile } from '../../src/storage/files.ts';
import { failureReason, storageFailure } from '../../src/storage/storage-failure.ts';

/** Renaming that fails so many times with a code of the system. */
function failing(times: number, code: string) {
  const calls: string[] = [];
  const renaming = {
    rename(from: string, to: string) {
      calls.push(`${from} ${to}`);
      if (calls.length <= times) throw Object.assign(new Error(code), { code });
    },
    wait: (milliseconds: number) => void calls.push(`wait ${milliseconds > 0}`),
  };
  return { calls, renaming };
}

test.each(['EBUSY', 'EPERM', 'EACCES'])(
  'Y24: renaming a file that is open (%s) is retried',
  (code) => {
    const { calls, renaming } = failing(1, code);
    renameFile('a', 'b', renaming);
    expect(calls).toEqual(['a b', 'wait true', 'a b']);
  },
);

test('Y24: renaming a file that stays open fails', () => {
  const { renaming } = failing(Infinity, 'EBUSY');
  expect(() => renameFile('a', 'b', renaming)).toThrow('EBUSY');
});

test('Y24: other errors are not retried', () => {
  const { calls, renaming } = failing(1, 'ENOSPC');
  expect(() => renameFile('a', 'b', renaming)).toThrow('ENOSPC');
  expect(calls).toEqual(['a b']);
});

test('Y24: the reason is in plain words', () => {
  const busy = Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
  expect(failureReason(busy)).toBe('another program has it open');
});

test.each([
  ['EPERM', 'close other programs that use it, or check the path and its permissions'],
  ['EBUSY', 'close other programs that use it, or check the path and its permissions'],
  ['EACCES', 'check the path and its permissions'],
])('Y24: the hint after %s names what may help', (code, hint) => {
  const cause = Object.assign(new Error(code), { code });
  expect(storageFailure('write', 'a.json', cause).hint).toBe(hint);
});
