import { expect, test } from 'vitest';
import {
  localTimeAfter,
  formatLimit,
  formatWait,
} from '../../../src/client/failure/format-duration.ts';

test.each([
  [0.3, '1 second'],
  [1, '1 second'],
  [59.2, '1 minute'],
  [120, '2 minutes'],
  [90, '1 minute 30 seconds'],
  [3_605, '1 hour'],
  [3_900, '1 hour 5 minutes'],
  [86_400 * 3 + 7_200, '3 days 2 hours'],
])('formats a wait of %d seconds as "%s"', (seconds, words) => {
  expect(formatWait(seconds)).toBe(words);
});

test.each([
  [1, '1 millisecond'],
  [500, '500 milliseconds'],
  [1000, '1 second'],
  [1500, '1.5 seconds'],
  [90_000, '90 seconds'],
  [600_000, '10 minutes'],
  [3_600_000, '1 hour'],
  [86_400_000 * 3, '3 days'],
])('Y4: formats a limit of %d milliseconds exactly, as "%s"', (milliseconds, words) => {
  expect(formatLimit(milliseconds)).toBe(words);
});

test('formats the local time', () => {
  expect(localTimeAfter(65, new Date(2026, 10, 20, 14, 5, 1))).toBe('14:06:06');
});

test('adds the date to a time that is a day away', () => {
  expect(localTimeAfter(86_400, new Date(2026, 11, 31, 14, 5, 1))).toBe('2027-01-01 14:05:01');
});
