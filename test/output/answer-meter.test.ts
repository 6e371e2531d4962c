import { expect, test } from 'vitest';
import type { ChatEvent } from '../../src/client/events.ts';
import { Failure } from '../../src/failure.ts';
import { createAnswerMeter } from '../../src/output/answer-meter.ts';
import { text } from '../support/events.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const cause = new Failure('server_error', 'no');
const retry = (number: number): ChatEvent => {
  return { type: 'retry-scheduled', retry: number, retries: 4, delay: 500, cause };
};

test('Y3: an unfinished answer has the times of its first text and its end', async () => {
  const clock = createFakeClock();
  const meter = createAnswerMeter(clock);
  await clock.advance(20);
  meter.event(text('a'));
  await clock.advance(5);
  meter.event(text('b'));
  await clock.advance(10);
  const timing = { firstText: 20, total: 35 };
  expect(meter.metadata()).toEqual({ complete: false, attempts: 1, timing });
});

test.each([
  ['before anything', [], 0, 1],
  ['while waiting for the first retry', [retry(1)], 499, 1],
  ['after the first retry was sent', [retry(1)], 500, 2],
  ['while waiting for the second retry', [retry(1), retry(2)], 0, 2],
  ['after the third is accepted', [retry(1), { type: 'answer-started', attempt: 3 }], 900, 3],
] as const)(
  'Y3: a prompt that is stopped %s has the requests that were sent',
  async (_, events, wait, attempts) => {
    const clock = createFakeClock();
    const meter = createAnswerMeter(clock);
    for (const event of events) meter.event(event);
    await clock.advance(wait);
    expect(meter.metadata()).toMatchObject({ complete: false, attempts });
  },
);

test('Y3: a failure has the attempts it reports', () => {
  const meter = createAnswerMeter(createFakeClock());
  meter.event(retry(1));
  const failure = new Failure('server_error', 'no', { attempts: 5 });
  expect(meter.metadata(failure)).toMatchObject({ attempts: 5 });
});

test('Y3: a finished answer has its reported figures', () => {
  const meter = createAnswerMeter(createFakeClock());
  const timing = { firstText: 3, total: 9 };
  meter.event({ type: 'answer-finished', attempts: 2, timing });
  expect(meter.metadata()).toEqual({ complete: true, attempts: 2, timing });
});
