import { expect, test } from 'vitest';
import { rateWindow } from '../../../src/batch/queue/redis-queue.ts';

test.each([
  [60_000, { max: 1000, duration: 1000 }],
  [1200, { max: 20, duration: 1000 }],
  [100, { max: 2, duration: 1200 }],
  [60, { max: 1, duration: 1000 }],
  [7, { max: 1, duration: 8572 }],
  [1, { max: 1, duration: 60_000 }],
])('%i a minute are windows of about a second: %j', (perMinute, window) => {
  expect(rateWindow(perMinute)).toEqual(window);
});

test('the windows never allow more than the rate, and at most 1 % less', () => {
  for (let perMinute = 1; perMinute <= 5000; perMinute += 1) {
    const { max, duration } = rateWindow(perMinute);
    const share = (max * 60_000) / (duration * perMinute);
    expect(share).toBeLessThanOrEqual(1);
    expect(share).toBeGreaterThan(0.99);
  }
});
