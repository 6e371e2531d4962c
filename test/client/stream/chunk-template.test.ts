import { expect, test } from 'vitest';
import { createChunkTemplate } from '../../../src/client/stream/chunk-template.ts';
import { readChunk } from '../../../src/client/stream/completion-chunk.ts';
import type { JsonObject } from '../../../src/json.ts';
import { fc } from '../../support/properties.ts';

const chunk = (content: unknown, rest: object = {}) =>
  JSON.stringify({
    id: 'c1',
    model: 'origin',
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }],
    ...rest,
  });

const parse = (data: string) => readChunk(JSON.parse(data) as JsonObject);

function learned(data: string) {
  const template = createChunkTemplate();
  template.learn(data, parse(data));
  return template;
}

test('nothing matches before a chunk was learned', () => {
  expect(createChunkTemplate().match(chunk('a'))).toBeUndefined();
});

test('what matches is what parsing the whole chunk gives', () => {
  const parts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '","content":"x'),
  );
  fc.assert(
    fc.property(parts, parts, (first, next) => {
      fc.pre(!['', 'probe', 'assistant'].includes(first));
      expect(learned(chunk(first)).match(chunk(next))).toEqual(parse(chunk(next)));
    }),
  );
});

test.each([
  ['another field differs', chunk('b', { id: 'c2' })],
  ['an error comes along', chunk('b', { error: { message: 'no' } })],
  ['the chunk is cut', chunk('b').slice(0, -2)],
  ['the text is cut', chunk('b').slice(0, 60)],
  ['the text is no string', chunk(null)],
  ['the text holds more fields', chunk('b').replace('"b"', '"b","content":"c"')],
  ['the text holds an unfinished escape', chunk('b').replace('"b"', String.raw`"b\u12"`)],
  ['a control character stands in the text', chunk('b').replace('"b"', '"\n"')],
])('%s: it does not match', (_what, data) => {
  expect(learned(chunk('a')).match(data)).toBeUndefined();
});

test('a text that another field holds too is not taken from there', () => {
  const template = learned(chunk('assistant'));
  expect(template.match(chunk('b'))).toBeUndefined();
});

test('of a text that looks like the probe nothing is learned', () => {
  const data = JSON.stringify({ model: 'probe', choices: [{ delta: { content: 'probe' } }] });
  expect(learned(data).match(data.replace('"probe"', '"other"'))).toBeUndefined();
});

test('chunks that are all different are not tried for ever', () => {
  const template = createChunkTemplate();
  for (let number = 0; number < 9; number += 1) {
    const data = chunk('a', { created: number });
    template.learn(data, parse(data));
  }
  expect(template.match(chunk('b', { created: 7 }))).toBeDefined();
  expect(template.match(chunk('b', { created: 8 }))).toBeUndefined();
});

test.each([':', ',', ':{', '}],', 'probe', 'index'])(
  'a first text %j, which also stands between two strings or is one, is no failure',
  (text) => {
    const template = learned(chunk(text));
    expect(template.match(chunk('next')) ?? parse(chunk('next'))).toEqual(parse(chunk('next')));
  },
);

test('a first text that is also another value of the chunk is not mistaken for it', () => {
  const template = learned(chunk('assistant'));
  const next = chunk('assistant').replace('"assistant"', '"user"');
  expect(template.match(next) ?? parse(next)).toEqual(parse(next));
});
