import { expect, test } from 'vitest';
import { createSample } from '../../../src/batch/input/select-items.ts';

const indexes = (total: number) => Array.from({ length: total }, (_, at) => at + 1);
const sampleOf = (size: number, total: number, seed: number) =>
  indexes(total).filter(createSample(size, total, seed));

test('a sample has exactly the requested number of items', () => {
  for (const seed of [0, 1, 2, 12_345]) {
    for (const size of [1, 5, 99]) expect(sampleOf(size, 100, seed)).toHaveLength(size);
  }
});

test('a sample that is not smaller than the input has every item', () => {
  expect(sampleOf(7, 5, 0)).toEqual([1, 2, 3, 4, 5]);
});

test('the same seed gives the same sample, and a different one a different sample', () => {
  expect(sampleOf(10, 1000, 3)).toEqual(sampleOf(10, 1000, 3));
  expect(sampleOf(10, 1000, 3)).not.toEqual(sampleOf(10, 1000, 4));
});

test('most of a sample stays when items are added', () => {
  const before = sampleOf(50, 1000, 0);
  const after = new Set(sampleOf(50, 1010, 0));
  expect(before.filter((index) => after.has(index)).length).toBeGreaterThan(45);
});

test('samples are spread over the input', () => {
  const halves = sampleOf(1000, 10_000, 0).filter((index) => index <= 5000).length;
  expect(halves).toBeGreaterThan(420);
  expect(halves).toBeLessThan(580);
});
