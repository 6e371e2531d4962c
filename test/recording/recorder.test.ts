import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { createSecretFilter } from '../../src/secrets/secret-filter.ts';
import { systemClock } from '../../src/clock.ts';
import { createRecorder } from '../../src/recording/recorder.ts';
import { type AppendFile, appendFile } from '../../src/storage/append-file.ts';
import {
  chunk,
  delta,
  done,
  json,
  response,
  streamHead,
  streamed,
} from '../support/raw-replies.ts';
import { type Reply, fin, reset } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';
import { createTestClient, prompt, runChat } from '../support/run-chat.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import { eventStream, newPath, openRecorded, readRecordedLines } from './recording-fixtures.ts';
import type { HttpRequest, Transport } from '../../src/client/http/transport.ts';
import { hold, holding } from '../storage/lock-fixtures.ts';

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

/** The key in every form. */
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
    for await (const event of set.client.chat(prompt, { signal: stop.signal })) {
      if (event.type === 'text-received') stop.abort('Ctrl+C');
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

const network: Transport = async () => ({
  status: 200,
  headers: {},
  body: (async function* body() {})(),
  destroy: () => undefined,
});

test('stops a request that waits for another natter immediately, and records later ones', async () => {
  const path = newPath();
  const file = await openRecorded(path);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const transport = createRecorder(file, systemClock, () => undefined, onFailure)(network);
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
