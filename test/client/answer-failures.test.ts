import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { done, event } from '../support/raw-replies.ts';
import { chunk, delta, endOf, readParts, textOf } from '../support/stream-fixtures.ts';

const reported = 'the service reported an error: ';

describe('errors inside a stream', () => {
  test.each([
    [
      'S10 named event',
      'event: error\ndata: {"message":"overloaded"}\n\n',
      'server_error',
      'overloaded',
    ],
    [
      'S10 named event, plain',
      'event: error\ndata: out of memory\n\n',
      'server_error',
      'out of memory',
    ],
    [
      'S11 object',
      event({ error: { name: 'rate_limited', detail: 'slow down' } }),
      'rate_limited',
      'slow down',
    ],
    [
      'S11 with choices',
      event({
        error: { code: 502, message: 'gone' },
        choices: [{ delta: { content: '' }, finish_reason: 'error' }],
      }),
      'server_error',
      'gone',
    ],
    [
      'S11 in the choice',
      event({ choices: [{ delta: {}, error: { code: 429, message: 'busy' } }] }),
      'rate_limited',
      'busy',
    ],
    ['S12 string', event({ error: 'boom went it' }), 'server_error', 'boom went it'],
    [
      'S12 message',
      event({ object: 'error', message: 'too long', code: 400 }),
      'invalid_request',
      'too long',
    ],
    ['S12 detail', event({ detail: 'no such model' }), 'not_found', 'no such model'],
    ['S12 numeric code', event({ error: { code: 401, message: 'who?' } }), 'unauthorized', 'who?'],
    [
      'S51 error in an unfinished event',
      'data: {"choices":[]}\ndata: {"error":{"code":429,"message":"busy"}}\n\n',
      'rate_limited',
      'busy',
    ],
    ['no reason', event({ error: {} }), 'server_error', 'no reason given'],
  ])('%s is a failure after the text before it', async (_, body, kind, message) => {
    const { parts, thrown } = await readParts([
      delta('par') + delta('tial') + body + delta('late'),
    ]);
    expect(textOf(parts, 'text')).toBe('partial');
    expect(endOf(parts)).toBeUndefined();
    expect(thrown).toBeInstanceOf(Failure);
    expect(thrown).toMatchObject({ kind, message: reported + message });
  });

  test('S13 an error in the first event yields no parts', async () => {
    const { parts, thrown } = await readParts([
      event({ error: { type: 'context_length_exceeded', message: 'm' } }),
    ]);
    expect(parts).toStrictEqual([]);
    expect(thrown).toMatchObject({ kind: 'invalid_request', message: `${reported}m` });
  });

  test('the finish_reason error without an error is a failure', async () => {
    const { thrown } = await readParts([event(chunk({}, 'error')), done]);
    expect(thrown).toMatchObject({ kind: 'server_error' });
  });

  test('an error that is null or false is not a failure', async () => {
    const { thrown } = await readParts([
      event({ error: null, choices: [] }),
      event({ error: false }),
      done,
    ]);
    expect(thrown).toBeUndefined();
  });

  test.each([
    ['S21 broken JSON', 'data: {"secret": 12, \n\n'],
    ['S21 text that is not JSON', 'data: secret\n\n'],
    ['S21 a JSON string', 'data: "secret"\n\n'],
    ['S51 two objects', 'data: {"secret":1}{"secret":2}\n\n'],
    ['S51 two objects on two lines', 'data: {"secret":1}\ndata: {"secret":2}\n\n'],
  ])('%s is a failure that does not show the data', async (_, body) => {
    const { parts, thrown } = await readParts([delta('a') + body]);
    expect(textOf(parts, 'text')).toBe('a');
    expect(thrown).toMatchObject({ kind: 'server_error', cause: undefined });
    expect(String(thrown)).toMatch(/event that is not a JSON object \(\d+ characters\)$/);
  });
});

describe('bodies that are not a stream', () => {
  test.each([
    [
      'S45 JSON error',
      'application/json',
      '{"error":{"code":"not_found","message":"gone"}}',
      'not_found',
      'gone',
    ],
    [
      'S45 JSON error with the type of a stream',
      'text/event-stream',
      '[{"error":{"code":429}}]',
      'rate_limited',
      'no reason given',
    ],
    ['S45 flat error', 'application/json', '{"detail":"nope"}', 'server_error', 'nope'],
    ['S45 JSON string', 'application/json', '"nope"', 'server_error', 'nope'],
  ])('%s is the reported failure', async (_, type, body, kind, message) => {
    const { thrown } = await readParts([body], type);
    expect(thrown).toMatchObject({ kind, message: reported + message });
  });

  test.each([
    [
      'S44 broken JSON',
      'application/json',
      '{"choices":[{"mess',
      /response is malformed JSON \(\d+ characters\)$/,
    ],
    [
      'S44 JSON without a completion',
      'application/json',
      '{"choices":[]}',
      /without a completion$/,
    ],
    ['S44 JSON null', 'application/json', 'null', /without a completion$/],
    [
      'S46 page',
      'text/html',
      '<html><title>Sign in</title><p>secret',
      /^the service sent a web page instead of an answer: Sign in$/,
    ],
    [
      'S46 page with character references',
      'text/html',
      '<html><title>A &amp; B &middot; C</title>',
      /^the service sent a web page instead of an answer: A & B · C$/,
    ],
    [
      'S46 page with the type of a stream',
      'text/event-stream',
      '<!doctype html><p>secret',
      /^the service sent a web page instead of an answer: secret$/,
    ],
    [
      'S46 plain text',
      'text/plain',
      'Internal Server Error',
      /plain text instead of an answer: Internal Server Error$/,
    ],
    ['S46 no type', undefined, 'OK', /plain text instead of an answer: OK$/],
    [
      'S46 stream in a different format',
      'text/event-stream',
      'event: message_start\ndata: {"type":"message_start","message":{"role":"assistant"}}\n\n',
      /^the stream is not in the format of chat completions \("message_start"\)$/,
    ],
    ['S49 empty body', 'text/event-stream', '', /sent an empty answer$/],
    ['S49 only white space', 'application/json', ' \r\n\r\n ', /sent an empty answer$/],
  ])('%s is a failure', async (_, type, body, message) => {
    const { parts, thrown } = await readParts([body], type ?? '');
    expect(parts).toStrictEqual([]);
    expect(thrown).toMatchObject({ kind: 'server_error' });
    expect((thrown as Failure).message).toMatch(message);
  });

  test('S44 the remedy for JSON without a completion is to check the base URL', async () => {
    const { thrown } = await readParts(['{"choices":[]}'], 'application/json');
    expect((thrown as Failure).remedy).toEqual({ code: 'check-base-url' });
  });

  test('S46 an endless page is a failure', async () => {
    let reads = 0;
    async function* endless(): AsyncGenerator<Uint8Array, void, undefined> {
      for (;;) {
        reads += 1;
        yield Buffer.from('<p>'.repeat(10_000));
      }
    }
    const { thrown } = await readParts(endless(), 'text/html');
    expect(thrown).toMatchObject({ kind: 'server_error' });
    expect(reads).toBeLessThan(5);
  });
});
