import { expect, test } from 'vitest';
import { chunk, delta, streamed, streamHead } from '../support/raw-replies.ts';
import { failureOf, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';

// The clock of these clients does not advance: a time limit would never end the request.
test('a 101 that was not asked for is a closed connection', async () => {
  const { client, clock } = await serveClient([[upgraded]], { retries: 0 });
  const { kind, message } = failureOf(await runChat({ client, clock }));
  expect(kind).toBe('unreachable');
  expect(message).toContain('closed the connection before the response');
});

test('a head whose lines end without a carriage return is not HTTP', async () => {
  const reply = streamed('Hi').toString().replaceAll('\r\n', '\n');
  const { client, clock } = await serveClient([[reply]], { retries: 0 });
  const { kind, message } = failureOf(await runChat({ client, clock }));
  expect(kind).toBe('server_error');
  expect(message).toContain('is not HTTP');
});

test.each([
  [
    'before any text',
    [streamHead(), 'zz\r\n'],
    'server_error',
    /^the response of \S+ is malformed/,
  ],
  [
    'after text',
    [streamHead(), chunk(delta('Hel')), 50, 'zz\r\n'],
    'incomplete',
    /^the answer is incomplete: the response of \S+ is malformed/,
  ],
] as const)(
  'F2 a bad size of a chunk %s is malformed, and final',
  async (_when, reply, kind, text) => {
    const { server, client, clock } = await serveClient([reply, [streamed('Hi')]]);
    const failure = failureOf(await runChat({ client, clock }));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(text);
    expect(server.requests).toHaveLength(1);
  },
);
