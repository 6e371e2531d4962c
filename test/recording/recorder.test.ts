import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { createSecretFilter, type SecretFilter } from '../../src/secrets/secret-filter.ts';
import { systemClock } from '../../src/clock.ts';
import { createMaskedBody, createRecorder } from '../../src/recording/recorder.ts';
import { type AppendFile, appendFile } from '../../src/storage/append-file.ts';
import {
  choice,
  chunk,
  delta,
  done,
  event,
  json,
  response,
  streamed,
  streamHead,
} from '../support/raw-replies.ts';
import { fin, type Reply, reset } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';
import { createTestClient, prompt, runChat } from '../support/run-chat.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import type { HttpRequest, Transport } from '../../src/client/http/transport.ts';
import { hold, holding } from '../storage/lock-fixtures.ts';
import { readRecording } from '../../src/recording/format.ts';
import { createReplay, createReplayClock, useExchanges } from '../../src/recording/replay.ts';
import { processorTime } from '../support/processor-time.ts';
import { fc } from '../support/properties.ts';
import {
  eventStream,
  lockOptions,
  newPath,
  openRecorded,
  readRecordedLines,
} from './recording-fixtures.ts';

/** A secret with characters that are valid in the name of a header. */
const headerSecret = 'sk-live-0123456789';

interface RecordedRun extends Partial<ClientOptions> {
  readonly storage?: AppendFile;
}

/** A client of a server with these replies, which records into `path`. */
async function recording(
  replies: readonly Reply[],
  { storage = appendFile, ...options }: RecordedRun = {},
) {
  const server = await serve(replies);
  const path = newPath();
  const failures: unknown[] = [];
  const file = await openRecorded(path, storage);
  const filter = () => createSecretFilter([secretKey, headerSecret], 8);
  const transport = createRecorder(file, systemClock, filter, (error) => failures.push(error));
  const { client, clock } = createTestClient(server.url, {
    apiKey: secretKey,
    transport,
    ...options,
  });
  return { client, clock, server, path, failures };
}

const typesIn = (path: string) => readRecordedLines(path).map(({ type }) => type);

test('records an answer as received, without the key', async () => {
  const set = await recording([[streamed('one ', 'two')]]);
  expect((await runChat(set)).text).toBe('one two');
  const lines = readRecordedLines(set.path);
  expect(lines[0]).toMatchObject({
    exchange: 1,
    at: 0,
    type: 'request',
    method: 'POST',
    path: '/v1/chat/completions',
    body: prompt,
  });
  expect(lines[1]).toMatchObject({
    type: 'response',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
  });
  const texts = lines.flatMap(({ type, text }) => (type === 'bytes' ? [text] : []));
  expect(texts.join('')).toBe(delta('one ') + delta('two') + done);
  expectNoSecret(readFileSync(set.path, 'utf8'));
});

test('records the path from /v1/ on', async () => {
  const server = await serve([[json(200, { data: [] })]]);
  const { client, path } = await recording([], { baseUrl: `${server.url}/proxy/v1` });
  await client.listModels();
  expect(readRecordedLines(path)[0]).toMatchObject({ method: 'GET', path: '/v1/models' });
});

test('omits transfer headers, cookies and other secret headers, and masks secrets in the rest', async () => {
  const headers = {
    connection: 'close',
    'set-cookie': 'session=1',
    'x-auth-info': 'me',
    'x-access-token': 'abc',
    'www-authenticate': 'Bearer',
    'x-request-id': 'r-1',
    'x-echo': `key ${secretKey}`,
    [`x-${headerSecret}`]: 'yes',
  };
  const { client, path } = await recording([[json(200, { data: [] }, headers)]]);
  await client.listModels();
  expect(readRecordedLines(path)[1]?.['headers']).toEqual({
    'content-type': 'application/json',
    'x-request-id': 'r-1',
    'x-echo': 'key ***',
    'x-***': 'yes',
  });
});

test('records the absolute target of a redirect, without password and query', async () => {
  const { client, path } = await recording([
    [response(307, { location: '//u:p@other.test/v1/x?token=1' })],
  ]);
  await expect(client.listModels()).rejects.toThrow('redirects');
  expect(readRecordedLines(path)[1]).toMatchObject({
    headers: { location: 'http://other.test/v1/x' },
  });
  expect(typesIn(path)).toEqual(['request', 'response', 'stopped']);
});

const echo = `${secretForms.join(' ')} ${secretKey}`;
test.each<[string, Reply]>([
  ['an error', [json(401, { error: { message: echo } })]],
  ['an answer', [streamed(echo)]],
  [
    'bytes that are not UTF-8',
    [response(200, eventStream, Buffer.from(`\u00ff${delta(echo)}`, 'latin1'))],
  ],
  ['a header', [response(500, { 'x-echo': echo })]],
  ['an answer that is cut within the key', [streamHead(), chunk(`data: ${secretKey}`), fin]],
])('K9 masks a key that the service sends back in %s', async (_, reply) => {
  const set = await recording([reply], { retries: 0 });
  await runChat(set);
  const text = readFileSync(set.path, 'utf8');
  const decoded = readRecordedLines(set.path).map(({ base64 }) =>
    typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString() : '',
  );
  expect([text, ...decoded].join('')).toContain('***');
  expectNoSecret(text, ...decoded);
});

test('K9 masks a key in the prompt', async () => {
  const set = await recording([[streamed('yes')]]);
  await runChat(set, {
    request: { ...prompt, messages: [{ role: 'user', content: `is ${secretKey} good?` }] },
  });
  expectNoSecret(readFileSync(set.path, 'utf8'));
  expect(readRecordedLines(set.path)[0]).toMatchObject({
    body: { messages: [{ content: 'is *** good?' }] },
  });
});

const cut: Reply = [streamHead(), chunk(delta('a')), fin];

test.each<[string, Reply, string, RegExp]>([
  ['R18 a reset', [reset], 'request failure', /closed the connection before the response/],
  ['a cut', cut, 'request response bytes failure', /closed the connection before the answer ended/],
  ['a response that is not HTTP', ['hello\r\n\r\n'], 'request failure', /is not HTTP/],
])('records the failure of %s', async (_, reply, types, message) => {
  const set = await recording([reply], { retries: 0 });
  await runChat(set);
  expect(typesIn(set.path).join(' ')).toBe(types);
  expect(readRecordedLines(set.path).at(-1)?.['message']).toMatch(message);
});

test('records the received part of an interrupted answer, as stopped', async () => {
  const stop = new AbortController();
  const set = await recording([[streamHead(), chunk(delta('half'))]]);
  const read = async () => {
    for await (const { type } of set.client.chat(prompt, { signal: stop.signal })) {
      if (type === 'text-received') stop.abort('Ctrl+C');
    }
  };
  await expect(read()).rejects.toBe('Ctrl+C');
  expect(typesIn(set.path)).toEqual(['request', 'response', 'bytes', 'stopped']);
});

test('D9 reports a recording that cannot be written once, and does not fail the answer', async () => {
  let appended = 0;
  const storage: AppendFile = {
    ...appendFile,
    append(path, bytes) {
      appended += 1;
      if (appended > 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return appendFile.append(path, bytes);
    },
  };
  const set = await recording([[streamed('one ', 'two')]], { storage });
  expect((await runChat(set)).text).toBe('one two');
  expect((await runChat(set)).text).toBe('one two');
  expect(set.failures).toHaveLength(1);
  expect(typesIn(set.path)).toEqual(['request', 'response']);
});

const running = { id: process.pid, isRunning: () => true };

test('stops a request that waits for another natter immediately, and records later ones', async () => {
  const path = newPath();
  const file = await openRecorded(path);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const record = createRecorder(file, systemClock, () => undefined, onFailure);
  const transport = record(answering([], 'text/plain'));
  const url = new URL('http://127.0.0.1/v1/models');
  const request: HttpRequest = { method: 'GET', url, headers: {} };
  const theirs = hold(`${path}.lock`, holding(running));
  const stop = new AbortController();
  const answer = transport(request, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(answer).rejects.toThrow('stopped');
  theirs.release();
  await transport(request, new AbortController().signal);
  expect(failures).toEqual([]);
  expect(readRecordedLines(path).map(({ type }) => type)).toEqual(['request', 'response']);
});

const filter = createSecretFilter([secretKey], 8) as SecretFilter;

/** What is written of a body that arrives in these reads, at times that are their numbers. */
function recordedPieces(
  reads: readonly (string | Uint8Array)[],
  contentType = 'text/event-stream',
) {
  const pieces: { readonly at: number; readonly text: string }[] = [];
  const body = createMaskedBody(filter, contentType, (bytes, at) => {
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
  const record = createRecorder(
    file,
    systemClock,
    () => filter,
    (error) => {
      throw error;
    },
  );
  const read = async (transport: Transport) => {
    const { client, clock } = createTestClient('http://replay.localhost', {
      transport: () => transport,
      retries: 0,
    });
    return runChat({ client, clock });
  };
  const live = await read(record(answering(reads, contentType)));
  const tape = readRecording(path);
  const clock = createReplayClock(systemClock, Number.POSITIVE_INFINITY);
  const used = useExchanges(undefined, lockOptions);
  const replayed = await read(createReplay(tape, used, clock, (text) => text));
  return { live, replayed, recorded: readFileSync(path, 'utf8') };
}

const parts = ['my nk-4', '/Zx9+Qw', '7==TopS', 'ecret, hidden'] as const;
const spelled = (write: (part: string, index: number) => string) =>
  parts.map(write).join('') + done;
const value = (part: string) => ({ choices: [{ index: 0, delta: { content: part } }] });
const other = { index: 1, delta: { content: 'another' } };

const texts = (...words: readonly string[]) => words.map((text) => ({ type: 'text', text }));
const deep = '['.repeat(3000) + ']'.repeat(3000);

const spellings: [name: string, body: string, contentType?: string][] = [
  ['two spaces after "data:"', spelled((part) => `data:  ${JSON.stringify(value(part))}\n\n`)],
  ['a tab after "data:"', spelled((part) => `data:\t${JSON.stringify(value(part))}\n\n`)],
  ['lines that end with CR', spelled(delta).replaceAll('\n', '\r')],
  ['lines that end with CRLF', spelled(delta).replaceAll('\n', '\r\n')],
  ['a byte order mark', `\uFEFF${spelled(delta)}`],
  [
    'two data lines for an event',
    spelled((part) => `data: {"choices":\ndata: ${JSON.stringify(value(part).choices)}}\n\n`),
  ],
  ['a list of parts', spelled((part) => choice({ delta: { content: texts(part) } }))],
  [
    'one JSON body with a list of parts',
    JSON.stringify({ choices: [{ message: { content: texts(...parts) } }] }, null, 2),
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
    spelled(
      (part) => `data: {"more":${deep},"choices":${JSON.stringify(value(part).choices)}}\n\n`,
    ),
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
  fc.assert(
    fc.property(text, sizes, (whole, [deltaSize, readSize]) => {
      const deltas = whole.match(new RegExp(`.{1,${deltaSize}}`, 'gsu')) ?? [];
      const body = [...deltas.map(delta), done].join('');
      const recorded = recordedPieces(readsOf(body, readSize)).map((piece) => piece.text);
      const stream = recorded.join('');
      expectNoSecret(spelledOut(stream), stream);
      expect(stream.endsWith(done)).toBe(true);
    }),
  );
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
  fc.assert(
    fc.property(fc.array(bytes), (reads) => {
      const written: Uint8Array[] = [];
      const body = createMaskedBody(filter, undefined, (piece) => written.push(piece));
      for (const [at, read] of reads.entries()) body.take(read, at);
      body.end();
      expect(Buffer.concat(written)).toEqual(Buffer.concat(reads));
    }),
  );
});

test('one event that does not end takes linear time', async () => {
  const reads = Array.from({ length: 500 }, () => 'x'.repeat(65_536));
  const taken = await processorTime(() => recordedPieces(['data: ', ...reads]));
  expect(taken).toBeLessThan(4000);
});
