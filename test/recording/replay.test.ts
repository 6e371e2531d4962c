import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { createUsedExchanges } from '../../src/recording/match-exchange.ts';
import { readRecording } from '../../src/recording/read-recording.ts';
import { createReplay, createReplayClock } from '../../src/recording/replay.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { delta, done } from '../support/raw-replies.ts';
import { createTestClient, failureOf, prompt, runChat } from '../support/run-chat.ts';
import { chatRequest, date, eventStream, writeRecording } from './recording-fixtures.ts';

/** A client that replays these lines, on a clock that a test moves. */
function replaying(
  lines: readonly unknown[],
  { speed = 1, ...options }: Partial<ClientOptions> & { readonly speed?: number } = {},
) {
  const real = createFakeClock(new Date('2030-01-01T00:00:00Z'));
  const clock = createReplayClock(real, speed);
  const recording = readRecording(writeRecording(...lines));
  const replay = createReplay(recording, createUsedExchanges(), clock, (text) => text);
  const baseUrl = 'http://replay.localhost';
  const { client } = createTestClient(baseUrl, { clock, transport: () => replay, ...options });
  return { client, clock: real };
}

const begins = (exchange: number, at = 10) => ({
  exchange,
  at,
  type: 'response',
  status: 200,
  headers: eventStream,
});
const says = (exchange: number, text: string, at = 20) => ({ exchange, at, type: 'bytes', text });
const answer = (exchange: number, text: string) => [
  begins(exchange),
  says(exchange, delta(text) + done),
  { exchange, at: 21, type: 'end' },
];
const refusal = (exchange: number, headers: object = {}) => [
  { exchange, at: 5, type: 'response', status: 429, headers },
  { exchange, at: 5, type: 'bytes', text: '{"error":{"message":"slow down"}}' },
  { exchange, at: 6, type: 'end' },
];

/** Moves the clock by steps of a millisecond until `work` has ended. */
async function play<Result>(work: Promise<Result>, clock: FakeClock): Promise<Result> {
  const steps = { isOver: false };
  const watched = work.finally(() => (steps.isOver = true));
  watched.catch(() => undefined);
  while (!steps.isOver) {
    await clock.advance(1);
    await turn();
  }
  return watched;
}

test.each([
  [1, [100, 200, 200, 1200, 1200]],
  [10, [10, 20, 20, 120, 120]],
  [0.5, [200, 400, 400, 2400, 2400]],
])('at speed %d, events arrive at %j', async (speed, expected) => {
  const lines = [begins(1, 100), says(1, delta('a'), 200), says(1, delta('b') + done, 1200)];
  const set = replaying([chatRequest(1), ...lines], { speed });
  const seen: (readonly [string, number])[] = [];
  const read = async () => {
    for await (const { type } of set.client.chat(prompt)) seen.push([type, set.clock.monotonic()]);
  };
  await play(read(), set.clock);
  const texts = ['text-received', 'text-received'];
  const types = ['answer-started', 'answer-named', ...texts, 'answer-finished'];
  expect(seen).toEqual(types.map((type, index) => [type, expected[index]]));
});

test('with infinite speed, everything arrives without waiting, with the recorded times', async () => {
  const set = replaying(
    [chatRequest(1), begins(1, 100), says(1, delta('a'), 200), says(1, done, 90_000)],
    { speed: Number.POSITIVE_INFINITY, idleTimeout: 0 },
  );
  const { events, text } = await runChat(set);
  expect(text).toBe('a');
  expect(events.at(-1)).toMatchObject({ timing: { firstText: 200, total: 90_000 } });
  expect(set.clock.monotonic()).toBe(0);
});

test('R2 waits for Retry-After at the speed of the replay, then retries', async () => {
  const refused = [chatRequest(1), ...refusal(1, { 'retry-after': '3' })];
  const set = replaying([...refused, chatRequest(2), ...answer(2, 'at last')], { speed: 10 });
  const types: string[] = [];
  const read = async () => {
    for await (const { type } of set.client.chat(prompt)) types.push(type);
  };
  await play(read(), set.clock);
  const answered = ['answer-started', 'answer-named', 'text-received', 'answer-finished'];
  expect(types).toEqual(['retry-scheduled', ...answered]);
  expect(set.clock.monotonic()).toBeGreaterThanOrEqual(300);
  expect(set.clock.monotonic()).toBeLessThan(310);
});

test('R5 counts a Retry-After date from the date of the recording', async () => {
  const later = new Date(Date.parse(date) + 7000).toUTCString();
  const set = replaying([chatRequest(1), ...refusal(1, { 'retry-after': later })], { retries: 1 });
  const events = set.client.chat(prompt)[Symbol.asyncIterator]();
  const { value } = await play(events.next(), set.clock);
  expect(value).toMatchObject({ type: 'retry-scheduled' });
  const { delay } = value as { readonly delay: number };
  expect(delay).toBeGreaterThan(6900);
  expect(delay).toBeLessThanOrEqual(7700);
});

test('reports a retry that was not recorded, and does not retry again', async () => {
  const set = replaying([chatRequest(1), ...refusal(1)]);
  const failure = failureOf(await play(runChat(set), set.clock));
  expect(failure.kind).toBe('configuration');
  expect(failure.message).toMatch(/has no more answers to POST .* natter has used exchange 1/);
});

const half = [begins(1), says(1, delta('half'))];
const closed = { at: 30, type: 'failure', kind: 'unreachable', message: 'a:1 closed' };

test.each<[string, readonly object[], string, RegExp]>([
  ['a cut before the first text', [begins(1), closed], 'unreachable', /^a:1 closed$/],
  ['R21 a cut in the middle', [...half, closed], 'incomplete', /incomplete: a:1 closed$/],
  ['S18 an end too early', [...half, { type: 'end' }], 'incomplete', /without a finish_reason/],
  [
    'an interruption',
    [...half, { type: 'stopped' }],
    'incomplete',
    /1 .* before the answer ended$/,
  ],
  ['an answer without an end', half, 'incomplete', /1 .* stopped before the answer ended$/],
  ['a request without a response', [], 'unreachable', /1 .* stopped before it was answered$/],
])('replays the failure of %s', async (_, reactions, kind, message) => {
  const lines = reactions.map((reaction) => ({ exchange: 1, ...reaction }));
  const set = replaying([chatRequest(1), ...lines]);
  const run = await play(runChat(set), set.clock);
  const failure = failureOf(run);
  expect(failure.kind).toBe(kind);
  expect(failure.message).toMatch(message);
  expect(run.text).toBe(kind === 'incomplete' ? 'half' : '');
});

test('S41 applies time limits to a silent recording, at its speed', async () => {
  const set = replaying([chatRequest(1), begins(1), says(1, delta('a'), 60_000)], {
    speed: 100,
    idleTimeout: 2000,
  });
  const failure = failureOf(await play(runChat(set), set.clock));
  expect(failure.message).toContain('sent no content for 2 seconds');
  expect(set.clock.monotonic()).toBeLessThan(30);
});

test('an abort ends a replay during a pause', async () => {
  const set = replaying([chatRequest(1), begins(1), says(1, delta('a'), 60_000)]);
  const stop = new AbortController();
  const run = runChat(set, { signal: stop.signal });
  await turn();
  await set.clock.advance(1000);
  stop.abort('enough');
  expect((await run).error).toBe('enough');
});

const { signal } = new AbortController();

test('continues the date from that of the recording', async () => {
  const real = createFakeClock();
  const clock = createReplayClock(real, 2);
  clock.setDate(new Date('2020-01-01T00:00:00Z'));
  await real.advance(5000);
  expect(clock.date()).toEqual(new Date('2020-01-01T00:00:10Z'));
});

test('with infinite speed, a sleep ends only after all events of the replay', async () => {
  const real = createFakeClock();
  let turns = 0;
  const clock = createReplayClock(
    {
      ...real,
      async sleep() {
        turns += 1;
        if (turns < 4) await clock.until(5000, signal);
      },
    },
    Number.POSITIVE_INFINITY,
  );
  await clock.sleep(10);
  expect([turns, clock.monotonic()]).toEqual([4, 5000]);
});

test.each([1, Number.POSITIVE_INFINITY])('speed %d: an aborted wait ends', async (speed) => {
  const clock = createReplayClock(createFakeClock(), speed);
  const stop = new AbortController();
  const waits = [clock.sleep(1000, stop.signal), clock.until(1000, AbortSignal.abort('stop'))];
  stop.abort('stop');
  for (const wait of waits) await expect(wait).rejects.toBe('stop');
});
