import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Transport } from '../../src/client/http/transport.ts';
import { systemClock } from '../../src/clock.ts';
import { readRecording } from '../../src/recording/format.ts';
import { createMaskedBody, createRecorder } from '../../src/recording/recorder.ts';
import { createReplay, createReplayClock, useExchanges } from '../../src/recording/replay.ts';
import { createSecretFilter, type SecretFilter } from '../../src/secrets/secret-filter.ts';
import { processorTime } from '../support/processor-time.ts';
import { expectForAll, fc } from '../support/properties.ts';
import { choice, delta, done, event } from '../support/raw-replies.ts';
import { createTestClient, runChat } from '../support/run-chat.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import { lockOptions, newPath, openRecorded } from './recording-fixtures.ts';

function secretFilter(): SecretFilter {
  const filter = createSecretFilter([secretKey], 8);
  if (filter === undefined) throw new Error('there is a secret');
  return filter;
}

/** What is written of a body that arrives in these reads, at times that are their numbers. */
function recordedPieces(
  reads: readonly (string | Uint8Array)[],
  contentType = 'text/event-stream',
) {
  const pieces: { readonly at: number; readonly text: string }[] = [];
  const body = createMaskedBody(secretFilter(), contentType, (bytes, at) => {
    pieces.push({ at, text: Buffer.from(bytes).toString() });
  });
  for (const [at, read] of reads.entries()) body.take(Buffer.from(read), at);
  body.end();
  return pieces;
}

const recordedText = (reads: readonly string[]) =>
  recordedPieces(reads)
    .map(({ text }) => text)
    .join('');

/** The reads of a text that ends every `size` bytes. */
function readsOf(text: string, size: number): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** A transport that answers with a body in these reads. */
function answering(reads: readonly Uint8Array[], contentType: string): Transport {
  return async () => ({
    status: 200,
    headers: { 'content-type': contentType },
    body: (async function* body() {
      yield* reads;
    })(),
    destroy: () => undefined,
  });
}

/** Records an answer, replays the recording, and reads both as the client does. */
async function recordAndReplay(reads: readonly Uint8Array[], contentType: string) {
  const path = newPath();
  const file = await openRecorded(path);
  const record = createRecorder(file, systemClock, secretFilter, (error) => {
    throw error;
  });
  const read = async (transport: Transport) => {
    const { client, clock } = createTestClient('http://replay.localhost', {
      transport: () => transport,
      retries: 0,
    });
    return runChat({ client, clock });
  };
  const live = await read(record(answering(reads, contentType)));
  const recording = readRecording(path);
  const clock = createReplayClock(systemClock, Number.POSITIVE_INFINITY);
  const used = useExchanges(undefined, lockOptions);
  const replayed = await read(createReplay(recording, used, clock, (text) => text));
  return { live, replayed, recorded: readFileSync(path, 'utf8') };
}

const parts = ['my nk-4', '/Zx9+Qw', '7==TopS', 'ecret, hidden'] as const;
const spelled = (write: (part: string, index: number) => string) =>
  parts.map(write).join('') + done;
const value = (part: string) => ({ choices: [{ index: 0, delta: { content: part } }] });
const other = { index: 1, delta: { content: 'another' } };

const json = JSON.stringify;
const texts = (...words: readonly string[]) => words.map((text) => ({ type: 'text', text }));
const deep = '['.repeat(3000) + ']'.repeat(3000);

const spellings: [name: string, body: string, contentType?: string][] = [
  ['two spaces after "data:"', spelled((part) => `data:  ${json(value(part))}\n\n`)],
  ['a tab after "data:"', spelled((part) => `data:\t${json(value(part))}\n\n`)],
  ['lines that end with CR', spelled(delta).replaceAll('\n', '\r')],
  ['lines that end with CRLF', spelled(delta).replaceAll('\n', '\r\n')],
  ['a byte order mark', `\uFEFF${spelled(delta)}`],
  [
    'two data lines for an event',
    spelled((part) => `data: {"choices":\ndata: ${json(value(part).choices)}}\n\n`),
  ],
  ['a list of parts', spelled((part) => choice({ delta: { content: texts(part) } }))],
  [
    'one JSON body with a list of parts',
    json({ choices: [{ message: { content: texts(...parts) } }] }, null, 2),
    'application/json',
  ],
  [
    'a delta, then a message',
    spelled((part, index) =>
      choice({ [['delta', 'message'][index % 2] ?? '']: { content: part } }),
    ),
  ],
  [
    'choices in changing order',
    spelled((part, index) => {
      const choices = [...value(part).choices, other];
      return event({ choices: index % 2 === 0 ? choices : choices.toReversed() });
    }),
  ],
  [
    'events with deeply nested fields',
    spelled((part) => `data: {"more":${deep},"choices":${json(value(part).choices)}}\n\n`),
  ],
];

test.each(spellings)(
  'F4 a key in pieces is kept neither in a recording nor in its replay: %s',
  async (_, body, contentType = 'text/event-stream') => {
    for (const size of [7, body.length]) {
      const { live, replayed, recorded } = await recordAndReplay(readsOf(body, size), contentType);
      expect(live.text).toBe(`my ${secretKey}, hidden`);
      expect(replayed.text).toBe('my ***, hidden');
      for (const part of ['/Zx9', '7==TopS', 'ecret']) expect(recorded).not.toContain(part);
      expectNoSecret(recorded);
    }
  },
);

test('F4 the rest of a changed event stays: id, model, reasoning, finish reason, usage, tools', async () => {
  const turn = { content: '+Qw7==TopSecret', reasoning: 'hm', tool_calls: [{ index: 0 }] };
  const last = {
    id: 'c-1',
    model: 'm-1',
    choices: [{ index: 0, delta: turn, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  };
  const body = delta('nk-4/Zx9') + event(last) + done;
  const { live, replayed } = await recordAndReplay([Buffer.from(body)], 'text/event-stream');
  expect(replayed.text).toBe('***');
  const ends = [live, replayed].map(({ events }) => events.at(-1));
  expect(ends[1]).toEqual(ends[0]);
});

test('F4 an error in a changed event stays', async () => {
  const failed = { ...value('nk-4/Zx9'), error: { message: 'too busy', type: 'rate_limited' } };
  const body = delta('my ') + event(failed);
  const { live, replayed } = await recordAndReplay([Buffer.from(body)], 'text/event-stream');
  expect(String(live.error)).toContain('too busy');
  expect(String(replayed.error)).toBe(String(live.error));
});

/** The texts of a stream's deltas, joined. */
function spelledOut(stream: string): string {
  const events = [...stream.matchAll(/^data: (\{.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as { choices: [{ delta: { content?: string } }] },
  );
  return events.map(({ choices: [first] }) => first.delta.content ?? '').join('');
}

test('masks a key in any form that is spread over events, wherever reads end', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...secretForms), fc.string({ maxLength: 6 })), { maxLength: 5 })
    .map((words) => words.join(''));
  const sizes = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 300 }));
  expectForAll(text, sizes, (whole, [deltaSize, readSize]) => {
    const deltas = whole.match(new RegExp(`.{1,${deltaSize}}`, 'gsu')) ?? [];
    const body = [...deltas.map(delta), done].join('');
    const recorded = recordedPieces(readsOf(body, readSize)).map((piece) => piece.text);
    const stream = recorded.join('');
    expectNoSecret(spelledOut(stream), stream);
    expect(stream.endsWith(done)).toBe(true);
  });
});

test('changes only the events with a part of the key', () => {
  const before = 'data: { "choices": [ {"delta": {"content": "a"}} ] }\n\n';
  const recorded = recordedText([before, delta('my nk-4/Zx9+Q'), delta('w7==TopSecret.'), done]);
  expect(recorded.startsWith(before)).toBe(true);
  expect(spelledOut(recorded)).toBe('amy ***.');
  expect(recorded.endsWith(done)).toBe(true);
});

test('separates the texts of different fields', () => {
  const both = (content: string, reasoning: string) =>
    choice({ delta: { content, reasoning_content: reasoning } });
  const recorded = recordedText([both('nk-4/Zx9', 'hm'), both(' no ', '+Qw7==TopSecret')]);
  expect(spelledOut(recorded)).toBe('nk-4/Zx9 no ');
  expect(recorded).toContain('+Qw7==TopSecret');
});

test('keeps an end of a text that only looks like the start of a key', () => {
  expect(spelledOut(recordedText([delta('see nk-4/Zx'), done]))).toBe('see nk-4/Zx');
  expect(spelledOut(recordedText([delta('see nk-4/Zx')]))).toBe('see nk-4/Zx');
});

test('writes an event with the time of its last read, and a cut one at the end', () => {
  const [one, two] = [delta('one '), delta('two')];
  expect(
    recordedPieces([one.slice(0, 9), one.slice(9) + two, ': wait\n', '\n', 'data: {"cut']),
  ).toEqual([
    { at: 1, text: one + two },
    { at: 3, text: ': wait\n\n' },
    { at: 4, text: 'data: {"cut' },
  ]);
});

test('writes a body that is no stream as a whole at its end', () => {
  expect(recordedPieces(['{"data":', '[]}'], 'application/json')).toEqual([
    { at: 1, text: '{"data":[]}' },
  ]);
  expect(recordedPieces(['<html>nk-4/Zx', '9+Qw7==TopSecret'])).toEqual([
    { at: 1, text: '<html>***' },
  ]);
});

test('keeps all bytes without a secret, valid UTF-8 or not', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 20 }),
    fc.constantFrom('data: a', '\n', '\r', '\r\n', '\n\n').map((text) => Buffer.from(text)),
  );
  expectForAll(fc.array(bytes), (reads) => {
    const written: Uint8Array[] = [];
    const body = createMaskedBody(secretFilter(), undefined, (piece) => written.push(piece));
    for (const [at, read] of reads.entries()) body.take(read, at);
    body.end();
    expect(Buffer.concat(written)).toEqual(Buffer.concat(reads));
  });
});

test('one event that does not end takes linear time', async () => {
  const reads = Array.from({ length: 500 }, () => 'x'.repeat(65_536));
  const taken = await processorTime(() => recordedPieces(['data: ', ...reads]));
  expect(taken).toBeLessThan(4000);
});
