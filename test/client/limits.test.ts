import { describe, expect, test } from 'vitest';
import { setTimeout as pass } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { Failure } from '../../src/failure.ts';
import { chunk, delta, done, lastChunk, streamHead } from '../support/raw-replies.ts';
import { runChat, createTestClient, prompt } from '../support/run-chat.ts';
import { serve, serveClient } from '../support/serve.ts';

const timeouts = ['connectTimeout', 'firstByteTimeout', 'idleTimeout', 'totalTimeout'] as const;
const durations = [...timeouts, 'retryWaitLimit'] as const;

describe.each(timeouts)('X22: %s', (name) => {
  test.each([Infinity, 2 ** 31, 2 ** 53])(
    'of %d milliseconds does not end a request',
    async (limit) => {
      const server = await serve([
        [30, streamHead(), 30, chunk(delta('Hel')), 30, chunk(delta('lo') + done), lastChunk],
      ]);
      const { client } = createTestClient(server.url, { clock: systemClock, [name]: limit });
      const events = client.chat(prompt)[Symbol.asyncIterator]();
      let text = '';
      for (let step = await events.next(); step.done !== true; step = await events.next()) {
        if (step.value.type === 'text-received') text += step.value.text;
      }
      client.close();
      expect(text).toBe('Hello');
    },
  );

  test('of Infinity starts no timer', async () => {
    const off = Object.fromEntries(timeouts.map((timeout) => [timeout, 0]));
    const { client, clock, server } = await serveClient([[]], { ...off, [name]: Infinity });
    const stop = new AbortController();
    const running = runChat({ client, clock }, { signal: stop.signal });
    await server.received(1);
    await pass(0);
    expect(clock.sleeping()).toBe(0);
    stop.abort(new Error('enough'));
    await running;
  });
});

describe.each([...durations, 'retries'] as const)('X22: %s', (name) => {
  test.each([Number.NaN, -1, -Infinity, '5' as unknown as number])(
    'of %s is a configuration failure that names the option',
    (value) => {
      const create = () => createTestClient('http://127.0.0.1:1', { [name]: value });
      expect(create).toThrow(Failure);
      expect(create).toThrow(new RegExp(`^${name} is ${String(value)}, which is not `));
      expect(create).toThrow(expect.objectContaining({ kind: 'configuration' }));
    },
  );
});

test('X22: half a retry is a configuration failure', () => {
  expect(() => createTestClient('http://127.0.0.1:1', { retries: 1.5 })).toThrow('a whole number');
});
