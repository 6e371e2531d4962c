import { expect, test } from 'vitest';
import { batchNameOf, rateWindow } from '../../../src/batch/queue/redis-queue.ts';

test.each([
  [undefined, 'data/reviews.jsonl', 'reviews'],
  [undefined, 'my prompts (2).txt', 'my-prompts-2-'],
  [undefined, '.hidden.csv', 'hidden'],
  [undefined, `${'a'.repeat(120)}.txt`, 'a'.repeat(100)],
  ['night-2', 'prompts.txt', 'night-2'],
  ['Größe_1', undefined, 'Größe_1'],
])('the name of --batch %s and %s is %s', (option, file, name) => {
  expect(batchNameOf(option, file)).toBe(name);
});

test.each([
  ['has a colon', 'a:b', 'prompts.txt'],
  ['starts with a hyphen', '-a', 'prompts.txt'],
  ['is empty', '', 'prompts.txt'],
  ['is too long', 'a'.repeat(101), 'prompts.txt'],
  ['has only other characters', undefined, '???.txt'],
  ['is missing for a pipe', undefined, '-'],
  ['is missing for standard input', undefined, undefined],
])('a name that %s is refused', (_, option, file) => {
  expect(() => batchNameOf(option, file)).toThrow(
    expect.objectContaining({ kind: 'usage' }) as Error,
  );
});
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
