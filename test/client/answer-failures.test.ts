import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { done, event } from '../support/raw-replies.ts';
import { chunk, delta, endOf, readParts, textOf } from '../support/stream-fixtures.ts';

const reported = 'the service reported an error: ';
const failed = { error: { code: 502, message: 'so' } };

describe('errors inside a stream', () => {
  test.each([
    ['S10 named event', 'event: error\ndata: {"message":"so"}\n\n', 'server_error'],
    ['S10 named event, plain', 'event: error\ndata: so\n\n', 'server_error'],
    ['S11 object', event({ error: { name: 'rate_limited', detail: 'so' } }), 'rate_limited'],
    ['S11 with choices', event({ ...failed, choices: [{ delta: {} }] }), 'server_error'],
    ['S11 in the choice', event({ choices: [{ delta: {}, ...failed }] }), 'server_error'],
    ['S12 string', event({ error: 'so' }), 'server_error'],
    ['S12 message', event({ object: 'error', message: 'so', code: 400 }), 'invalid_request'],
    ['S12 detail', event({ detail: 'so' }), 'server_error'],
    ['S51 error in an event', `data: {"choices":[]}\n${event(failed)}`, 'server_error'],
    ['no reason', event({ error: {} }), 'server_error', 'no reason given'],
  ])('%s is a failure after the text before it', async (_, body, kind, message = 'so') => {
    const { parts, thrown } = await readParts([
      delta('par') + delta('tial') + body + delta('late'),
    ]);
    expect(textOf(parts, 'text')).toBe('partial');
    expect(endOf(parts)).toBeUndefined();
    expect(thrown).toBeInstanceOf(Failure);
    expect(thrown).toMatchObject({ kind, message: reported + message });
  });

  test('S13 an error in the first event yields no parts', async () => {
    const { parts, thrown } = await readParts([event(failed)]);
    expect(parts).toStrictEqual([]);
    expect(thrown).toMatchObject({ message: `${reported}so` });
  });

  test('the finish_reason error without an error is a failure', async () => {
    const { thrown } = await readParts([event(chunk({}, 'error')), done]);
    expect(thrown).toMatchObject({ kind: 'server_error' });
  });

  test('an error that is null or false is not a failure', async () => {
    const events = [event({ error: null, choices: [] }), event({ error: false })];
    expect((await readParts([...events, done])).thrown).toBeUndefined();
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

const stream = 'text/event-stream';
const json = 'application/json';
const foreign = 'event: message_start\ndata: {"type":"message_start","message":{}}\n\n';

describe('bodies that are not a stream', () => {
  test.each([
    ['S45 JSON error', json, '{"error":{"code":"not_found","message":"so"}}', 'not_found'],
    ['S45 list', stream, '[{"error":{"code":429,"message":"so"}}]', 'rate_limited'],
    ['S45 flat error', json, '{"detail":"so"}', 'server_error'],
    ['S45 JSON string', json, '"so"', 'server_error'],
  ])('%s is the reported failure', async (_, type, body, kind) => {
    const { thrown } = await readParts([body], type);
    expect(thrown).toMatchObject({ kind, message: `${reported}so` });
  });

  test.each([
    ['S44 broken JSON', json, '{"choices":[{"m', /response is malformed JSON \(\d+ characters\)$/],
    ['S44 JSON without a completion', json, '{"choices":[]}', /without a completion$/],
    ['S44 JSON null', json, 'null', /without a completion$/],
    ['S46 page', 'text/html', '<title>A &amp; B</title>s', /a web page instead .*: A & B$/],
    ['S46 page with the type of a stream', stream, '<p>Sign in', /a web page .*: Sign in$/],
    ['S46 plain text', 'text/plain', 'Error', /plain text instead of an answer: Error$/],
    ['S46 no type', '', 'OK', /plain text instead of an answer: OK$/],
    ['S46 stream in a different format', stream, foreign, /chat completions \("message_start"\)$/],
    ['S49 empty body', stream, '', /sent an empty answer$/],
    ['S49 only white space', json, ' \r\n\r\n ', /sent an empty answer$/],
  ])('%s is a failure', async (_, type, body, message) => {
    const { parts, thrown } = await readParts([body], type);
    expect(parts).toStrictEqual([]);
    expect(thrown).toMatchObject({
      kind: 'server_error',
      message: expect.stringMatching(message) as string,
    });
  });

  test('S44 the remedy for JSON without a completion is to check the base URL', async () => {
    const { thrown } = await readParts(['{"choices":[]}'], json);
    expect(thrown).toMatchObject({ remedy: { code: 'check-base-url' } });
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
