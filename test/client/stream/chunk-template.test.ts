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

test('matches nothing before a chunk is learned', () => {
  expect(createChunkTemplate().match(chunk('a'))).toBeUndefined();
});

test('a match equals the parsed chunk', () => {
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
  ['a different field differs', chunk('b', { id: 'c2' })],
  ['an error is added', chunk('b', { error: { message: 'no' } })],
  ['the chunk is cut', chunk('b').slice(0, -2)],
  ['the text is cut', chunk('b').slice(0, 60)],
  ['the text is not a string', chunk(null)],
  ['the text contains more fields', chunk('b').replace('"b"', '"b","content":"c"')],
  ['the text contains an unfinished escape', chunk('b').replace('"b"', String.raw`"b\u12"`)],
  ['the text contains a control character', chunk('b').replace('"b"', '"\n"')],
])('does not match when %s', (_what, data) => {
  expect(learned(chunk('a')).match(data)).toBeUndefined();
});

test('does not match a text that is also in another field', () => {
  const template = learned(chunk('assistant'));
  expect(template.match(chunk('b'))).toBeUndefined();
});

test('does not learn a text that equals the probe', () => {
  const data = JSON.stringify({ model: 'probe', choices: [{ delta: { content: 'probe' } }] });
  expect(learned(data).match(data.replace('"probe"', '"other"'))).toBeUndefined();
});

test('gives up on chunks that are all different', () => {
  const template = createChunkTemplate();
  for (let number = 0; number < 9; number += 1) {
    const data = chunk('a', { created: number });
    template.learn(data, parse(data));
  }
  expect(template.match(chunk('b', { created: 7 }))).toBeDefined();
  expect(template.match(chunk('b', { created: 8 }))).toBeUndefined();
});

test.each([':', ',', ':{', '}],', 'probe', 'index'])(
  'reads the chunk after a first text %j, which also occurs outside the text',
  (text) => {
    const template = learned(chunk(text));
    expect(template.match(chunk('next')) ?? parse(chunk('next'))).toEqual(parse(chunk('next')));
  },
);

test('does not confuse the first text with an equal value of another field', () => {
  const template = learned(chunk('assistant'));
  const next = chunk('assistant').replace('"assistant"', '"user"');
  expect(template.match(next) ?? parse(next)).toEqual(parse(next));
});
