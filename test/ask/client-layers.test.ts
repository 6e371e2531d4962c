import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { ChatEvent, RetryScheduled } from '../../src/client/events.ts';
import { logClient, maskClient } from '../../src/ask/client-layers.ts';
import type { Run } from '../../src/run.ts';
import { Failure } from '../../src/failure.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createSecretFilter } from '../../src/secrets/secret-filter.ts';
import { finished, text } from '../support/events.ts';
import { secretKey } from '../support/secret.ts';

/** A client whose answers are these events, up to the first error. */
const serviceOf = (sent: readonly (ChatEvent | Error)[]): Client => ({
  async *chat(_request, options) {
    for (const event of sent) {
      options?.signal?.throwIfAborted();
      if (event instanceof Error) throw event;
      yield event;
    }
  },
  listModels: async () => [],
  getModel: async (id) => ({ id }),
  close: () => undefined,
});

const cause = new Failure('server_error', 'the service failed (500)');
const retry = { type: 'retry-scheduled', retry: 1, retries: 4, delay: 500, cause } as const;
const answer: readonly ChatEvent[] = [
  retry,
  { type: 'answer-started', attempt: 2, requestId: 'r-2' },
  { type: 'text-received', text: 'a', deltas: ['a'] },
  { type: 'answer-finished', finishReason: 'stop', attempts: 2, timing: { total: 5 } },
];

function logged(client: Partial<Client>) {
  const lines: string[] = [];
  const run = {
    context: { clock: createFakeClock() },
    presentation: { debugLog: (line: string) => void lines.push(line) },
    settings: { profile: { value: 'work' } },
  } as unknown as Run;
  const log = logClient(
    { ...serviceOf(answer), ...client },
    run,
    (path) => `http://service/v1/${path}`,
  );
  return { client: log, lines };
}

const prompt = { model: 'origin', messages: [] };

test('logs a prompt from the request to the end of the answer and passes on all events', async () => {
  const { client, lines } = logged({});
  const events: ChatEvent[] = [];
  for await (const event of client.chat(prompt)) events.push(event);
  expect(events).toEqual(answer);
  expect(lines).toEqual([
    'POST http://service/v1/chat/completions, profile work',
    'retry 1 of 4 in 500 ms: the service failed (500)',
    'attempt 2 is answered after 0 ms, request r-2',
    'the answer is complete after 0 ms, stop',
  ]);
});

test.each([
  [new Failure('rate_limited', 'slow down'), 'failed (rate_limited) after 0 ms'],
  [new Error('interrupted'), 'stopped after 0 ms'],
])('logs a call that throws, and throws the same error: %s', async (error, line) => {
  const { client, lines } = logged({
    listModels: async () => {
      throw error;
    },
  });
  await expect(client.listModels()).rejects.toBe(error);
  expect(lines).toEqual(['GET http://service/v1/models, profile work', line]);
});

test('logs a retry of a read and passes it on', async () => {
  const retries: unknown[] = [];
  const getModel: Client['getModel'] = async (id, options) => {
    options?.onRetry?.(retry);
    return { id };
  };
  const { client, lines } = logged({ getModel });
  const onRetry = (event: RetryScheduled) => void retries.push(event);
  expect(await client.getModel('a b', { onRetry })).toEqual({ id: 'a b' });
  expect(retries).toEqual([retry]);
  expect(lines).toEqual([
    'GET http://service/v1/models/a%20b, profile work',
    'retry 1 of 4 in 500 ms: the service failed (500)',
    'answered after 0 ms',
  ]);
});

const filter = createSecretFilter([secretKey], 8);
const half = secretKey.slice(0, 8);
const otherHalf = secretKey.slice(8);

const reasoning = (content: string): ChatEvent => ({ type: 'reasoning-received', text: content });
const refusal = (content: string): ChatEvent => ({ type: 'refusal-received', text: content });

/** @param onEvent called before the next event is requested. @returns the received events, and what was thrown */
async function receive(
  sent: readonly (ChatEvent | Error)[],
  signal?: AbortSignal,
  onEvent: (event: ChatEvent) => void = () => undefined,
  secrets = filter,
) {
  const client = maskClient(serviceOf(sent), { filter: () => secrets, keep: () => undefined });
  const events: ChatEvent[] = [];
  const options = signal === undefined ? {} : { signal };
  let error: unknown;
  try {
    for await (const event of client.chat(prompt, options)) {
      events.push(event);
      onEvent(event);
    }
  } catch (thrown) {
    error = thrown;
  }
  return { events, error };
}

test('passes on events without secrets unchanged', async () => {
  const sent = [reasoning('a'), text('b', 'c'), text('d'), refusal('e'), finished];
  expect(await receive(sent)).toEqual({ events: sent });
});

test('masks a secret that is split over several events', async () => {
  const name: ChatEvent = { type: 'answer-named', id: 'a1' };
  const { events } = await receive([text(`a ${half}`), name, text(otherHalf, ' b'), finished]);
  expect(events).toEqual([text('a '), name, text('*** b'), finished]);
});

test.each([
  [
    'releases reasoning that is held back before the text of the answer',
    [reasoning(`why ${half}`), text('because'), finished],
    [reasoning('why '), reasoning(half), text('because'), finished],
  ],
  [
    'releases text that is held back before a refusal, and a refusal before the end',
    [text(half), refusal(half), finished],
    [text(half), refusal(half), finished],
  ],
  [
    'masks the rest of a secret that text of a different kind interrupts',
    [reasoning(half), text('a'), reasoning(`${otherHalf}.`)],
    [reasoning(half), text('a'), reasoning('***.')],
  ],
])('%s', async (_, sent, events) => {
  expect(await receive(sent)).toEqual({ events });
});

test('releases text that is held back when the answer is cut', async () => {
  const failure = new Failure('incomplete', 'the answer was cut');
  const { events, error } = await receive([text(`a ${half}`), failure]);
  expect(events).toEqual([text('a '), text(half)]);
  expect(error).toBe(failure);
});

test('delivers text that is held back after an abort, and no later event', async () => {
  const abort = new AbortController();
  const reason = new Error('interrupted');
  const sent = [text(`a ${half}`), text('late'), finished];
  const { events, error } = await receive(sent, abort.signal, () => abort.abort(reason));
  expect(events).toEqual([text('a '), text(half)]);
  expect(error).toBe(reason);
});

test('masks the texts of metadata', async () => {
  const metadata = (value: string): readonly ChatEvent[] => [
    { type: 'answer-started', attempt: 1, requestId: value },
    { type: 'answer-named', id: value, model: value },
    { ...finished, id: value, model: value, finishReason: value },
  ];
  expect(await receive(metadata(`a ${secretKey}`))).toEqual({ events: metadata('a ***') });
});

test('does not mask the types of events and the names of fields', async () => {
  const words = ['answer', 'finished', 'started', 'attempts', 'total_tokens', 'finishReason'];
  const sent: readonly ChatEvent[] = [
    { type: 'answer-started', attempt: 1 },
    { type: 'answer-named', id: 'i', model: 'm' },
    { ...finished, finishReason: 'stop', usage: { total_tokens: 7 } },
  ];
  const secrets = createSecretFilter(words, 1);
  expect(await receive(sent, undefined, undefined, secrets)).toEqual({ events: sent });
});

test('masks metadata that is secret only for a later filter', async () => {
  const name: ChatEvent = { type: 'answer-named', id: secretKey };
  const client = { chat: () => Readable.from([name]) } as unknown as Client;
  let known = createSecretFilter(['another-secret'], 8);
  const masked = maskClient(client, { filter: () => known, keep: () => undefined });
  const read = async () => {
    for await (const event of masked.chat(prompt)) return event;
    return undefined;
  };
  expect(await read()).toEqual(name);
  known = filter;
  expect(await read()).toEqual({ type: 'answer-named', id: '***' });
});
