import { expect, test } from 'vitest';
import { type Ticket, TicketSet } from '../../../src/batch/limits/ticket.ts';

const ticketAt = (sentAt: number): Ticket => ({
  sentAt,
  epoch: 0,
  together: 1,
  inSecond: 1,
  state: 'open',
  slot: 0,
});

const times = (set: TicketSet) =>
  [...set].map(({ sentAt }) => sentAt).toSorted((one, other) => one - other);

test('a set has the tickets that were added and not removed', () => {
  const set = new TicketSet();
  const [first, second, third] = [ticketAt(1), ticketAt(2), ticketAt(3)];
  for (const ticket of [first, second, third]) set.add(ticket);
  set.delete(first);
  expect(times(set)).toEqual([2, 3]);
  set.delete(third);
  expect(times(set)).toEqual([2]);
  set.add(first);
  expect(times(set)).toEqual([1, 2]);
  expect(set.size).toBe(2);
});

test('removing a ticket that is not in the set changes nothing', () => {
  const set = new TicketSet();
  const [first, second] = [ticketAt(1), ticketAt(2)];
  set.delete(first);
  set.add(first);
  set.add(second);
  set.delete(second);
  set.delete(second);
  expect(times(set)).toEqual([1]);
});
