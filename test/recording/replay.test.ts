import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import {
  readRecording,
  type RecordedExchange,
  type RecordedRequest,
} from '../../src/recording/format.ts';
import {
  createReplay,
  createReplayClock,
  takeExchange,
  useExchanges,
} from '../../src/recording/replay.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { delta, done } from '../support/raw-replies.ts';
import { createTestClient, failureOf, prompt, runChat } from '../support/run-chat.ts';
import {
  chatRequest,
  date,
  eventStream,
  lockOptions,
  newPath,
  writeRecording,
} from './recording-fixtures.ts';

/** A client that replays these lines, on a clock that a test moves. */
function replaying(
  lines: readonly unknown[],
  { speed = 1, ...options }: Partial<ClientOptions> & { readonly speed?: number } = {},
) {
  const real = createFakeClock(new Date('2030-01-01T00:00:00Z'));
  const clock = createReplayClock(real, speed);
  const recording = readRecording(writeRecording(...lines));
  const replay = createReplay(
    recording,
    useExchanges(undefined, lockOptions),
    clock,
    (text) => text,
  );
  const baseUrl = 'http://replay.localhost';
  const { client } = createTestClient(baseUrl, { clock, transport: () => replay, ...options });
  return { client, clock: real };
}

const begun = { type: 'response', status: 200, headers: eventStream };
const begins = (exchange: number, at = 10) => ({ exchange, at, ...begun });
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
  ['an interruption', [...half, { type: 'stopped' }], 'incomplete', /before the answer ended$/],
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

// Which exchange answers a request.

const ask = (content: string, model = 'origin'): RecordedRequest => ({
  method: 'POST',
  path: '/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content }], stream: true },
});
const list: RecordedRequest = { method: 'GET', path: '/v1/models' };

function choose(...requests: readonly RecordedRequest[]) {
  const exchanges = requests.map((request, index): RecordedExchange => ({
    number: index + 1,
    request,
    date: undefined,
    events: [],
  }));
  const recording = { file: 'tape.jsonl', exchanges, unreadable: [] };
  const used = useExchanges(undefined, lockOptions);
  return { take: (request: RecordedRequest) => takeExchange(request, recording, used) };
}

test('uses each exchange of the same request once, in order', async () => {
  const choice = choose(ask('a'), ask('b'), ask('a'));
  const taken = ['a', 'a', 'b'].map((text) => choice.take(ask(text)));
  const numbers = (await Promise.all(taken)).map(({ number }) => number);
  expect(numbers).toEqual([1, 3, 2]);
});

test('ignores the order of fields in a body', async () => {
  const { body } = ask('a');
  const turned = Object.fromEntries(Object.entries(body as object).toReversed());
  const taken = choose(ask('a')).take({ ...ask('a'), body: turned });
  expect(await taken).toMatchObject({ number: 1 });
});

test('matches a request without a body by method and path', async () => {
  expect(await choose(ask('a'), list).take(list)).toMatchObject({ number: 2 });
});

const noPrompt = 'tape.jsonl has no answer to POST /v1/chat/completions';
const noList = 'tape.jsonl has no answer to GET /v1/models';

test.each<[string, readonly RecordedRequest[], RecordedRequest, string]>([
  ['an empty recording', [], list, `${noList}: it has no requests`],
  ['a different path', [ask('a')], list, `${noList}: it has only POST /v1/chat/completions`],
  [
    'a different prompt',
    [ask('hello'), ask('bye', 'nextgen')],
    ask('hallo'),
    `${noPrompt}: messages[0].content is "hallo", but "hello" in exchange 1`,
  ],
  [
    'a nearest request that differs only in the model',
    [ask('one', 'nextgen'), ask('two', 'nextgen')],
    ask('two'),
    `${noPrompt}: model is "origin", but "nextgen" in exchange 2`,
  ],
  [
    'several differences',
    [ask('one', 'nextgen')],
    ask('two'),
    `${noPrompt}: model is "origin", but "nextgen" in exchange 1 (and 1 more)`,
  ],
])('describes the difference: %s', async (_, recorded, request, message) => {
  await expect(choose(...recorded).take(request)).rejects.toMatchObject({
    kind: 'configuration',
    message,
    remedy: { code: 'record-request', file: 'tape.jsonl' },
  });
});

test('names the exchanges that have been used', async () => {
  const choice = choose(ask('a'), list, ask('a'));
  for (const request of [ask('a'), ask('a'), list]) await choice.take(request);
  const used = 'no more answers to POST /v1/chat/completions: natter has used exchange 1, 3';
  await expect(choice.take(ask('a'))).rejects.toThrow(used);
  await expect(choice.take(list)).rejects.toThrow('natter has used exchange 2');
});

test('describes the difference from an unused exchange', async () => {
  const choice = choose(ask('one'), ask('completely different'));
  await choice.take(ask('one'));
  await expect(choice.take(ask('onx'))).rejects.toThrow('in exchange 2');
});

const body = { model: 'origin', messages: [{ role: 'user', content: 'hello' }], stream: true };
const long = 'The quick brown fox jumps over the lazy dog, again and again and again.';

test.each<[string, unknown, unknown, string]>([
  ['an additional field', body, { ...body, max_tokens: 5 }, 'max_tokens is 5, but missing'],
  ['a missing field', body, { ...body, stream: undefined }, 'stream is missing, but true'],
  [
    'a long text with a late difference',
    { content: long },
    { content: long.replace('lazy', 'busy') },
    'content is …ps over the busy dog, again and again an…, but …ps over the lazy dog, again and again an…',
  ],
  ['a text with line breaks', 'one\ntwo', 'one\nTwo', 'the body is "one\\nTwo", but "one\\ntwo"'],
  ['a number instead of a text', { a: '1' }, { a: 1 }, 'a is 1, but "1"'],
  ['a value in a list', { a: 1, b: [1] }, { b: [2], a: 1 }, 'b[0] is 2, but 1'],
])('describes %s', async (_, recorded, actual, difference) => {
  const taken = choose({ ...list, body: recorded }).take({ ...list, body: actual });
  await expect(taken).rejects.toThrow(`${difference} in exchange 1`);
});

const next = (used: ReadonlySet<number>) => used.size;

test('runs at the same time choose different exchanges', async () => {
  const path = newPath('used');
  const runs = Array.from({ length: 10 }, () => useExchanges(path, lockOptions)(next));
  expect(new Set(await Promise.all(runs)).size).toBe(10);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('writes nothing if the choice fails', async () => {
  const path = newPath('used');
  const used = useExchanges(path, lockOptions);
  await used(next);
  const refused = used(() => {
    throw new Error('none');
  });
  await expect(refused).rejects.toThrow('none');
  expect(readFileSync(path, 'utf8')).toBe('0\n');
});

test('refuses any other file, and does not change it', async () => {
  const path = newPath('used');
  writeFileSync(path, 'my notes\n');
  await expect(useExchanges(path, lockOptions)(next)).rejects.toThrow(
    'is not a list of used exchanges',
  );
  expect(readFileSync(path, 'utf8')).toBe('my notes\n');
});
