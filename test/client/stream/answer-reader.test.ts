import { describe, expect, test, vi } from 'vitest';
import { bodyForm, readAnswer } from '../../../src/client/stream/answer-reader.ts';
import { unmasked } from '../../support/secret.ts';
import { done, event } from '../../support/raw-replies.ts';
import {
  chunk,
  delta,
  endOf,
  readParts,
  stop,
  streamFixtures,
  textOf,
} from '../../support/stream-fixtures.ts';
import { Failure } from '../../../src/failure.ts';

/** A body that stays open until the reader closes it. */
function openBody(first: string): { body: AsyncIterable<Uint8Array>; closed: () => boolean } {
  let closed = false;
  async function* generate(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield Buffer.from(first);
      await new Promise(() => {});
    } finally {
      closed = true;
    }
  }
  return { body: generate(), closed: () => closed };
}

const named = { type: 'answer-named', id: 'chatcmpl-1', model: 'origin' } as const;

describe('the parts of an answer', () => {
  test('yields the id and model before the first text, and again only if one is new', async () => {
    const { parts } = await readParts([
      event({ id: 'chatcmpl-1', choices: [] }),
      delta('a'),
      delta('b') + stop + done,
    ]);
    expect(parts.slice(0, -2)).toStrictEqual([
      { type: 'answer-named', id: 'chatcmpl-1' },
      named,
      { type: 'text-received', text: 'a', deltas: ['a'] },
    ]);
  });

  test('yields one text part for each read, with its deltas', async () => {
    const { parts } = await readParts([delta('a') + delta('b'), delta('c'), stop + done]);
    expect(parts).toStrictEqual([
      named,
      { type: 'text-received', text: 'ab', deltas: ['a', 'b'] },
      { type: 'text-received', text: 'c', deltas: ['c'] },
      { type: 'end', complete: true, id: 'chatcmpl-1', model: 'origin', finishReason: 'stop' },
    ]);
  });

  test('S29 keeps the order of reasoning, text and refusal within one read', async () => {
    const events = [{ reasoning: 'x' }, { content: 'a' }, { refusal: 'no' }, { content: 'b' }];
    const { parts } = await readParts([events.map((turn) => event(chunk(turn))).join('') + done]);
    expect(parts.slice(0, -1)).toStrictEqual([
      named,
      { type: 'reasoning-received', text: 'x' },
      { type: 'text-received', text: 'a', deltas: ['a'] },
      { type: 'refusal-received', text: 'no' },
      { type: 'text-received', text: 'b', deltas: ['b'] },
    ]);
  });

  test('S52 delivers a delta before it requests the next read', async () => {
    const { body } = openBody(delta('a'));
    const reading = readAnswer(body, 'text/event-stream', unmasked);
    const parts = [(await reading.next()).value, (await reading.next()).value];
    expect(parts).toStrictEqual([named, { type: 'text-received', text: 'a', deltas: ['a'] }]);
  });

  test('S40 delivers 100,000 events of one read in order', async () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => `${index} `);
    const { parts } = await readParts([numbers.map((number) => delta(number)).join('') + done]);
    expect(textOf(parts, 'text') === numbers.join('')).toBe(true);
  });
});

describe('the end of the body', () => {
  test.each(['\n', '\r'])(
    'S15 S20 ends the answer at [DONE]%j, and closes the open body',
    async (end) => {
      const { body, closed } = openBody(`${delta('a')}${done}`.replaceAll('\n', end));
      const { parts, thrown } = await readParts(body);
      expect([thrown, endOf(parts)?.complete, closed()]).toStrictEqual([undefined, true, true]);
    },
  );

  test('closes the body when the caller stops early', async () => {
    const { body, closed } = openBody(delta('a'));
    for await (const part of readAnswer(body, 'text/event-stream', unmasked)) {
      expect(part.type).toBe('answer-named');
      break;
    }
    expect(closed()).toBe(true);
  });

  test('S50 throws an error of the body after the text before it', async () => {
    const reset = new Error('reset');
    async function* broken(): AsyncGenerator<Uint8Array, void, undefined> {
      yield Buffer.from(delta('a'));
      throw reset;
    }
    const { parts, thrown } = await readParts(broken());
    expect([textOf(parts, 'text'), thrown]).toStrictEqual(['a', reset]);
  });
});

describe('onContent', () => {
  async function contentCalls(reads: readonly string[], type?: string): Promise<number> {
    const onContent = vi.fn<() => void>();
    await readParts(reads, type, { onContent });
    return onContent.mock.calls.length;
  }

  test('S42 does not count comments, empty data, empty deltas and usage', async () => {
    const usage = event({ choices: [], usage: { total_tokens: 1 } });
    const silent = [': ping\n\n', 'data:\n\n', 'data: : PROCESSING\n\n', delta(''), usage];
    expect(await contentCalls(silent)).toBe(0);
  });

  test('S42 counts text, reasoning, tool calls and a finish_reason, one for each event', async () => {
    const turns = [{ content: 'b' }, { reasoning: 'r' }, { tool_calls: [{}] }];
    const reads = turns.map((turn) => event(chunk(turn)));
    expect(await contentCalls([delta('a') + reads.join(''), stop])).toBe(5);
  });

  test('S42 counts pieces of a JSON body, but not the white space before it', async () => {
    const reads = ['\n', '\n', '{"choices":[{"message":', ' ', '{}}]}'];
    expect(await contentCalls(reads, 'application/json')).toBe(2);
  });
});

test('S6 detects the form of a body after blank lines that keep the connection alive', async () => {
  const blanks = Array<string>(5000).fill('\n');
  const { parts } = await readParts([...blanks, '{"choices":[{"message":{"content":"a"}}]}'], '');
  expect(textOf(parts, 'text')).toBe('a');
});

describe('limits', () => {
  const options = { limit: 1000 };

  test.each([
    ['a line', 'data: ', 'x'.repeat(100)],
    ['an event', '', `data: ${'x'.repeat(100)}\n`],
    ['a JSON body', '{"a":"', 'x'.repeat(100)],
  ])('S39 fails when %s without an end exceeds the limit', async (_, start, more) => {
    let used = 0;
    function* reads(): Generator<string, void> {
      yield start;
      for (; used < 50; used += 1) yield more;
    }
    const { thrown } = await readParts(reads(), 'text/event-stream', options);
    expect(String(thrown)).toMatch(/an event or body of more than 1000 characters, so natter stop/);
    expect(used).toBeLessThan(12);
  });

  test('S39 reads a JSON body of exactly the limit', async () => {
    const body = '{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}'.padEnd(1000);
    const { parts } = await readParts([body], 'application/json', options);
    expect(textOf(parts, 'text')).toBe('a');
  });

  test('S39 does not limit the total of many small events', async () => {
    const reads = [...Array<string>(50).fill(delta('a')), done];
    expect((await readParts(reads, 'text/event-stream', options)).thrown).toBeUndefined();
  });

  test('S38 reads an event of 64 MB in reads of 16 kB whole, in linear time', async () => {
    const pieces = Array<string>(4000).fill('x'.repeat(16_000));
    const [start, end] = ['data: {"choices":[{"delta":{"content":"', `"}}]}\n\n${done}`];
    const { parts, thrown } = await readParts([start, ...pieces, end]);
    expect(thrown).toBeUndefined();
    expect(textOf(parts, 'text').length).toBe(64_000_000);
  }, 20_000);
});

test('keeps the first id and model of an answer, and the last usage', async () => {
  const { parts } = await readParts([
    event({ id: 'a', model: 'origin', choices: [], usage: { total_tokens: 2 } }),
    event({ id: 'b', model: 'nextgen', choices: [], usage: { total_tokens: 3 } }),
    delta('x') + stop + done,
  ]);
  expect(endOf(parts)).toMatchObject({ id: 'a', model: 'origin', usage: { total_tokens: 3 } });
});

test.each<readonly [service: string, fields: object, cached: number | undefined]>([
  ['OpenAI', { prompt_tokens_details: { cached_tokens: 1024 } }, 1024],
  ['DeepSeek', { prompt_cache_hit_tokens: 1024, prompt_cache_miss_tokens: 976 }, 1024],
  ['only the missed tokens', { prompt_cache_miss_tokens: 976 }, 1024],
  ['more than the prompt', { prompt_cache_hit_tokens: 9999 }, 2000],
  ['a text', { prompt_tokens_details: { cached_tokens: '1024' } }, undefined],
  ['no details', { prompt_tokens_details: null }, undefined],
])('reads the cached tokens of %s', async (_service, fields, cached) => {
  const usage = { prompt_tokens: 2000, completion_tokens: 1, total_tokens: 2001, ...fields };
  const { parts } = await readParts([delta('x') + event({ choices: [], usage }) + done]);
  expect(endOf(parts)?.usage?.cached_tokens).toBe(cached);
});

const stream = 'text/event-stream';
const json = 'application/json';

test.each<[head: string, type: string | undefined, form: string | undefined, isWhole?: boolean]>([
  ['', undefined, 'empty', true],
  [' \n', undefined, 'empty', true],
  ['dat', undefined, 'text', true],
  ['id:', undefined, 'event-stream', true],
  ['{', stream, 'json'],
  ['[', undefined, 'json'],
  ['"', json, 'json'],
  ['<', stream, 'page'],
  ['d', stream, 'event-stream'],
  ['foo: bar', `${stream}; charset=utf-8`, 'event-stream'],
  ['foo: bar', 'Text/Event-Stream;', 'event-stream'],
  ['d', 'text/plain', undefined],
  ['dat', undefined, undefined],
  ['data:', undefined, 'event-stream'],
  ['data\n', undefined, 'event-stream'],
  [': ', json, 'event-stream'],
  ['event:', json, 'event-stream'],
  ['don', 'text/plain', 'text'],
  ['null', json, 'json'],
  ['null', 'application/problem+json', 'json'],
  ['', stream, undefined],
  [' \n', stream, undefined],
  [' '.repeat(2000), stream, 'event-stream'],
])(
  'S46 S47 a body that starts with %j and has the type %s is %s',
  (head, type, form, isWhole = false) => {
    expect(bodyForm(head, type, isWhole)).toBe(form);
  },
);

test.each(streamFixtures)('S3 S4 $name: reads in two pieces, cut anywhere', async (fixture) => {
  const { bytes, contentType, text, finishReason, usage, complete } = fixture;
  const { reasoning = '', refusal = '' } = fixture;
  const texts = { text, deltas: text, hasHalves: false, reasoning, refusal };
  for (const cut of bytes.keys()) {
    const reads = [bytes.subarray(0, cut), bytes.subarray(cut)];
    const { parts, thrown } = await readParts(reads, contentType);
    const pieces = parts.flatMap((part) => (part.type === 'text-received' ? part.deltas : []));
    const end = endOf(parts);
    expect({
      cut,
      thrown,
      text: textOf(parts, 'text'),
      deltas: pieces.join(''),
      hasHalves: pieces.some((piece) => /\p{Surrogate}/u.test(piece)),
      reasoning: textOf(parts, 'reasoning'),
      refusal: textOf(parts, 'refusal'),
      finishReason: end?.finishReason,
      usage: end?.usage,
      complete: end?.complete,
    }).toEqual({ cut, thrown: undefined, ...texts, finishReason, usage, complete });
  }
});

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
    ['F7 a NUL alone', 'data: \0\n\n'],
    ['F7 a byte order mark before JSON', 'data: \uFEFF{"choices":[]}\n\n'],
    ['S51 two objects', 'data: {"secret":1}{"secret":2}\n\n'],
    ['S51 two objects on two lines', 'data: {"secret":1}\ndata: {"secret":2}\n\n'],
  ])('%s is a failure that does not show the data', async (_, body) => {
    const { parts, thrown } = await readParts([delta('a') + body]);
    expect(textOf(parts, 'text')).toBe('a');
    expect(thrown).toMatchObject({ kind: 'server_error', cause: undefined });
    expect(String(thrown)).toMatch(/event that is not a JSON object \(\d+ characters\)$/);
  });
});

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
