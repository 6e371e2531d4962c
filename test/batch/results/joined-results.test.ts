import { expect, test } from 'vitest';
import { joinResults } from '../../../src/batch/results/joined-results.ts';
import type { WrittenResult } from '../../../src/batch/results/result-index.ts';

const result = (index: number): WrittenResult => ({
  index,
  fingerprint: undefined,
  isAnswered: true,
  text: `${index}\n`,
});

/** A file with room for `size` results, which appends all results of a call or none. */
function fileOf(size: number) {
  const appends: string[][] = [];
  const unsaved: string[] = [];
  const append = (results: readonly WrittenResult[]): void => {
    if (appends.flat().length + results.length > size) throw new Error('the disk is full');
    appends.push(results.map(({ text }) => text));
  };
  return { appends, unsaved, joined: joinResults({ append }, (text) => unsaved.push(text)) };
}

test('results of one turn of the event loop are appended together', async () => {
  const { appends, joined } = fileOf(9);
  const saved = [1, 2].map((index) => joined.append(result(index)));
  expect(appends).toEqual([]);
  await Promise.all(saved);
  await joined.append(result(3));
  expect(appends).toEqual([['1\n', '2\n'], ['3\n']]);
});

test('results that do not fit together are appended one by one, and the others are reported', async () => {
  const { appends, unsaved, joined } = fileOf(2);
  const saved = [1, 2, 3, 4].map((index) => joined.append(result(index)));
  await expect(Promise.all(saved)).rejects.toThrow('the disk is full');
  expect({ appends, unsaved }).toEqual({ appends: [['1\n'], ['2\n']], unsaved: ['3\n', '4\n'] });
});

test('results after a failure are appended again', async () => {
  const { unsaved, joined } = fileOf(0);
  await expect(joined.append(result(1))).rejects.toThrow('the disk is full');
  await expect(joined.append(result(2))).rejects.toThrow('the disk is full');
  expect(unsaved).toEqual(['1\n', '2\n']);
});
