import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Failure } from '../../src/failure.ts';
import { chunk, delta, done, event, lastChunk, streamHead } from '../support/raw-replies.ts';
import { runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';
import { streamFixtures } from '../support/stream-fixtures.ts';

const end = chunk(done);

/** The same bodies as in `stream-fixtures.test.ts`, through the parser of each transport. */
test.each(streamFixtures)('S3 S4 $name: in HTTP chunks of one byte', async (fixture) => {
  const head = streamHead({ 'content-type': fixture.contentType });
  const chunks = Array.from(fixture.bytes, (byte) => chunk(Uint8Array.of(byte)));
  const reply = [Buffer.concat([head, ...chunks, Buffer.from(lastChunk)])];
  const { events, text, error } = await runChat(await serveClient([reply], { retries: 0 }));
  const kept = (type: 'reasoning-received' | 'refusal-received') =>
    events.map((one) => (one.type === type ? one.text : '')).join('');
  const last = events.find((one) => one.type === 'answer-finished');
  const { reasoning = '', refusal = '', complete, finishReason, usage } = fixture;
  expect([text, kept('reasoning-received'), kept('refusal-received')]).toEqual([
    fixture.text,
    reasoning,
    refusal,
  ]);
  expect([last !== undefined, last?.finishReason, last?.usage]).toEqual([
    complete,
    complete ? finishReason : undefined,
    complete ? usage : undefined,
  ]);
  // A refusal or a tool call ends an answer, but is a failure.
  const kinds = complete ? [undefined, 'no_answer'] : ['incomplete', 'server_error'];
  expect(kinds).toContain(error instanceof Failure ? error.kind : error);
});

test.each([
  ['S10 a named event', 'event: error\ndata: {"message":"busy"}\n\n', 'busy'],
  ['S12 an error as a string', event({ error: 'busy' }), 'busy'],
  ['S12 a detail', event({ detail: 'busy' }), 'busy'],
  ['S21 an event that is not JSON', 'data: {"secret": 12, \n\n', 'not a JSON object'],
  ['S51 two objects in one event', 'data: {"secret":1}{"secret":2}\n\n', 'not a JSON object'],
])('%s after text leaves the answer incomplete', async (_, body, message) => {
  const reply = [streamHead(), chunk(delta('Hel')), chunk(body), lastChunk];
  const { text, error } = await runChat(await serveClient([reply]));
  expect(text).toBe('Hel');
  expect(error).toMatchObject({
    kind: 'incomplete',
    message: expect.stringContaining(message) as unknown,
  });
  expect(String(error)).not.toContain('secret');
});

test('S38 reads an event of 64 MB', async () => {
  const piece = chunk('x'.repeat(16_000));
  const start = chunk('data: {"choices":[{"delta":{"content":"');
  const reply = [
    streamHead(),
    start,
    ...Array<Buffer>(4000).fill(piece),
    chunk('"}}]}\n\n'),
    end,
    lastChunk,
  ];
  const { text, error } = await runChat(await serveClient([reply]));
  expect(error).toBeUndefined();
  expect(text.length).toBe(64_000_000);
});

test('S39 stops reading a line without an end', async () => {
  const megabyte = chunk('x'.repeat(1_000_000));
  const reply = [streamHead(), chunk('data: '), ...Array<Buffer>(300).fill(megabyte)];
  // The rest of the body has a moment to arrive.
  const set = await serveClient([reply], { retries: 0, clock: systemClock });
  const { error } = await runChat(set);
  expect(error).toMatchObject({
    kind: 'server_error',
    message: expect.stringContaining('so natter stopped reading') as unknown,
  });
  await set.server.idle();
});

test('S40 reads 100,000 events of one HTTP chunk in order', async () => {
  const numbers = Array.from({ length: 100_000 }, (_, index) => `${index} `);
  const events = numbers.map((number) => delta(number)).join('');
  const { text } = await runChat(
    await serveClient([[streamHead(), chunk(events), end, lastChunk]]),
  );
  expect(text === numbers.join('')).toBe(true);
});
