import { describe, expect, test } from 'vitest';
import { createPatience } from '../../../src/batch/limits/patience.ts';

const open = (retries: number, maxWait = 60_000) => createPatience({ retries, maxWait, since: 0 });

describe('a refused item', () => {
  test('waits longer each time without a Retry-After', () => {
    const item = open(9).beginItem();
    expect([0, 1, 2, 3, 4, 5].map((now) => item.refused(now, undefined, 0))).toEqual([
      500, 1000, 2000, 4000, 8000, 8000,
    ]);
  });

  test('waits its Retry-After, but not longer than the limit', () => {
    const patience = open(4);
    patience.answered(0);
    expect(patience.beginItem().refused(1, 2500, 0)).toBe(2500);
    expect(patience.beginItem().refused(1, 3_600_000, 0)).toBe(60_000);
  });

  test('never fails while other items are answered', () => {
    const patience = open(0);
    const item = patience.beginItem();
    for (let now = 0; now < 600_000; now += 30_000) {
      patience.answered(now);
      expect(item.refused(now + 29_000, 1000, 0)).toBe(1000);
    }
  });

  test('never fails while a request is in progress', () => {
    const item = open(0).beginItem();
    expect(item.refused(0, undefined, 1)).toBe(500);
    expect(item.refused(900_000, undefined, 1)).toBe(1000);
  });

  test('fails after its retries, when nothing was answered for as long as --retry-max-wait', () => {
    const item = open(2).beginItem();
    expect([1000, 2000, 59_999].map((now) => item.refused(now, 0, 0))).toEqual([0, 0, 0]);
    expect(item.refused(60_000, 0, 0)).toBeUndefined();
  });

  test('fails at once without retries, if nothing was ever answered', () => {
    expect(open(0).beginItem().refused(5, undefined, 0)).toBeUndefined();
  });

  test('fails at once for a Retry-After that is too long, if nothing was ever answered', () => {
    expect(open(4).beginItem().refused(5, 60_001, 0)).toBeUndefined();
  });

  test('fails after its retries if any Retry-After is waited for', () => {
    const item = open(1, Infinity).beginItem();
    expect(item.refused(1, 86_400_000, 0)).toBe(86_400_000);
    expect(item.refused(2, 86_400_000, 0)).toBeUndefined();
  });
});
