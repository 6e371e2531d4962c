import { expect, test } from 'vitest';
import { describeDifference, differencesOf } from '../../src/recording/differences.ts';

const body = { model: 'origin', messages: [{ role: 'user', content: 'hello' }], stream: true };
const long = 'The quick brown fox jumps over the lazy dog, again and again and again.';

test.each<[string, unknown, unknown, readonly string[]]>([
  ['the same', body, { ...body }, []],
  ['another order of fields', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  [
    'another model',
    body,
    { ...body, model: 'nextgen' },
    ['model is "nextgen", but "origin" in exchange 1'],
  ],
  [
    'a field that was not there',
    body,
    { ...body, max_tokens: 5 },
    ['max_tokens is 5, which exchange 1 does not have'],
  ],
  [
    'a field that is missing',
    body,
    { model: body.model, messages: body.messages },
    ['stream is missing, which is true in exchange 1'],
  ],
  [
    'a later turn',
    body,
    { ...body, messages: [...body.messages, { role: 'assistant', content: 'hi' }] },
    ['messages[1] is {"role":"assistant","content":"hi"}, which exchange 1 does not have'],
  ],
  [
    'a long text that differs late',
    { content: long },
    { content: long.replace('lazy', 'busy') },
    [
      'content is "…ps over the busy dog, again and again an…", but "…ps over the lazy dog, again and again an…" in exchange 1',
    ],
  ],
  [
    'a text over several lines',
    'one\ntwo',
    'one\nTwo',
    ['the body is "one\\nTwo", but "one\\ntwo" in exchange 1'],
  ],
  [
    'no body',
    body,
    undefined,
    [expect.stringMatching(/^the body is missing, which is \{"model/) as string],
  ],
  ['a number for a text', { a: '1' }, { a: 1 }, ['a is 1, but "1" in exchange 1']],
  [
    'two things',
    { a: 1, b: [1] },
    { a: 2, b: [2] },
    ['a is 2, but 1 in exchange 1', 'b[0] is 2, but 1 in exchange 1'],
  ],
])('%s', (_, recorded, asked, expected) => {
  const told = differencesOf(recorded, asked).map((one) => describeDifference(one, 'exchange 1'));
  expect(told).toEqual(expected);
});
