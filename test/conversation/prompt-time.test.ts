import { expect, test } from 'vitest';
import { promptTime, timeText } from '../../src/conversation/prompt-time.ts';

// Of the local time zone, whichever that is.
const before = new Date(2026, 10, 28, 11, 5);
const midnight = (day: number) => new Date(2026, 10, day, 23, 30);

test.each([
  ['without a turn before', undefined, new Date(2026, 10, 28, 9, 5), 'Saturday 28 November 09:05'],
  ['on the same day', before, new Date(2026, 10, 28, 13, 5), '13:05'],
  ['after midnight', midnight(28), new Date(2026, 10, 29, 0, 3), 'Sunday 29 November 00:03'],
  ['in a new year', midnight(61), new Date(2027, 0, 1, 0, 3), 'Friday 1 January 2027 00:03'],
])('a prompt %s has its clock, and a new day', (_when, last, at, text) => {
  const time = promptTime(at, last);
  expect(time && timeText(time)).toBe(text);
  expect(time?.gap).toBeUndefined();
});

test.each([
  [new Date(2026, 10, 28, 13, 6), '2 hours later, Saturday 28 November 13:06'],
  [new Date(2026, 10, 28, 14, 5), '3 hours later, Saturday 28 November 14:05'],
  [new Date(2026, 10, 30, 10, 0), '47 hours later, Monday 30 November 10:00'],
  [new Date(2027, 10, 28, 11, 5), '365 days later, Sunday 28 November 2027 11:05'],
])('more than two hours later, a line says so: %s', (at, gap) => {
  expect(promptTime(at, before)).toMatchObject({ gap, day: undefined });
});

test('a time that was lost is not told, and makes no gap, as a clock that goes back', () => {
  expect(promptTime(new Date(0), before)).toBeUndefined();
  expect(promptTime(before, new Date(0))?.gap).toBeUndefined();
  expect(promptTime(new Date(2026, 10, 28, 8, 0), before)?.gap).toBeUndefined();
});
