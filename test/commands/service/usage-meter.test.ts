import { expect, test } from 'vitest';
import { createTimeText } from '../../../src/commands/service/usage-meter.ts';

test('the time of a line of the ledger is that of the clock, in each millisecond and after a step back', () => {
  const base = Date.UTC(2026, 10, 20, 12);
  let offset = 0;
  const time = createTimeText({ date: () => new Date(base + offset) });
  const texts = [0, 0, 1, 1000, 0].map((next) => {
    offset = next;
    return time();
  });
  expect(texts).toEqual([
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.001Z',
    '2026-11-20T12:00:01.000Z',
    '2026-11-20T12:00:00.000Z',
  ]);
});
