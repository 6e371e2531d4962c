import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SharedTimer } from '../../../src/client/http/shared-timer.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function waiting(limit: number) {
  const clock = createFakeClock();
  const timer = new SharedTimer(clock, limit);
  const expired: string[] = [];
  const create = (name: string) => ({ waitingSince: 0, expire: () => void expired.push(name) });
  return { clock, timer, expired, create };
}

test('each expires after its own time, with one timer for all', async () => {
  const { clock, timer, expired, create } = waiting(1000);
  timer.add(create('first'));
  await clock.advance(400);
  timer.add(create('second'));
  expect(clock.sleeping()).toBe(1);
  await clock.advance(600);
  expect(expired).toEqual(['first']);
  await clock.advance(399);
  expect(expired).toEqual(['first']);
  await clock.advance(1);
  expect(expired).toEqual(['first', 'second']);
  expect(clock.sleeping()).toBe(0);
});

test('stops in the next turn when nothing waits, and starts again', async () => {
  const { clock, timer, expired, create } = waiting(1000);
  const [first, second] = [create('first'), create('second')];
  timer.add(first);
  timer.delete(first);
  timer.add(second);
  await tick();
  expect(clock.sleeping()).toBe(1);
  timer.delete(second);
  await tick();
  expect(clock.sleeping()).toBe(0);
  timer.add(first);
  await clock.advance(1000);
  expect(expired).toEqual(['first']);
});

test.each([0, Infinity])('a limit of %d never expires', (limit) => {
  const { clock, timer, create } = waiting(limit);
  timer.add(create('first'));
  expect(clock.sleeping()).toBe(0);
});
