import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { ChatEvent, RetryScheduled } from '../../src/client/events.ts';
import { logClient } from '../../src/ask/logged-client.ts';
import type { Run } from '../../src/run.ts';
import { Failure } from '../../src/failure.ts';
import { createFakeClock } from '../support/fake-clock.ts';

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
  const whole: Client = {
    async *chat() {
      yield* answer;
    },
    listModels: async () => [],
    getModel: async (id) => ({ id }),
    close: () => undefined,
    ...client,
  };
  const run = {
    context: { clock: createFakeClock() },
    presentation: { debugLog: (line: string) => void lines.push(line) },
    settings: { profile: { value: 'work' } },
  } as unknown as Run;
  const log = logClient(whole, run, (path) => `http://service/v1/${path}`);
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
