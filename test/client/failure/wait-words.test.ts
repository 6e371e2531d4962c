import { expect, test } from 'vitest';
import {
  clockTimeAfter,
  limitInWords,
  waitInWords,
} from '../../../src/client/failure/wait-words.ts';

test.each([
  [0.3, '1 second'],
  [1, '1 second'],
  [59.2, '1 minute'],
  [120, '2 minutes'],
  [90, '1 minute 30 seconds'],
  [3_605, '1 hour'],
  [3_900, '1 hour 5 minutes'],
  [86_400 * 3 + 7_200, '3 days 2 hours'],
])('says %d seconds as "%s"', (seconds, words) => {
  expect(waitInWords(seconds)).toBe(words);
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
])('Y4: says a limit of %d milliseconds exactly, as "%s"', (milliseconds, words) => {
  expect(limitInWords(milliseconds)).toBe(words);
});

test('tells the local clock time', () => {
  expect(clockTimeAfter(65, new Date(2026, 10, 20, 14, 5, 1))).toBe('14:06:06');
});

test('tells the date too when it is a day away', () => {
  expect(clockTimeAfter(86_400, new Date(2026, 11, 31, 14, 5, 1))).toBe('2027-01-01 14:05:01');
});
