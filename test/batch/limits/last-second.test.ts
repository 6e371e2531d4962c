import { expect, test } from 'vitest';
import { createLastSecond } from '../../../src/batch/limits/last-second.ts';
import type { Ticket } from '../../../src/batch/limits/ticket.ts';

const sentAt = (time: number): Ticket => ({
  sentAt: time,
  epoch: 0,
  together: 1,
  inSecond: 1,
  state: 'open',
  slot: 0,
});

function lastSecondWith(...times: readonly number[]) {
  const lastSecond = createLastSecond();
  const tickets = times.map(sentAt);
  for (const ticket of tickets) lastSecond.add(ticket);
  return { ...lastSecond, tickets };
}

test('counts the requests of the last second, except those that were refused', () => {
  const last = lastSecondWith(0, 10, 500);
  expect(last.count(600)).toBe(3);
  const refused = last.tickets[1] as Ticket;
  last.remove(refused, 600);
  refused.state = 'refused';
  expect([600, 1000, 1499, 1500].map((now) => last.count(now))).toEqual([2, 1, 1, 0]);
});

test('there are fewer when enough of them, and their margin, have passed', () => {
  const last = lastSecondWith(0, 10, 500);
  expect([4, 3, 2, 1].map((most) => last.belowAt(600, most, 20))).toEqual([600, 1020, 1030, 1520]);
});

test('a request still counts in its margin, and those behind it do not extend that', () => {
  const last = lastSecondWith(0, 10, 20, 30);
  expect(last.belowAt(1015, 4, 20)).toBe(1020);
  expect(last.belowAt(1025, 4, 20)).toBe(1025);
  expect(last.belowAt(1025, 3, 20)).toBe(1030);
});
