import { describe, expect, test } from 'vitest';
import { ChunkForms } from '../../../src/client/stream/chunk-forms.ts';
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
  const forms = new ChunkForms();
  forms.learn(data, parse(data));
  return forms;
}

test('matches nothing before a chunk is learned', () => {
  expect(new ChunkForms().match(chunk('a'))).toBeUndefined();
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
  ['a different field differs', chunk('b', { model: 'nextgen' })],
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
  const forms = learned(chunk('assistant'));
  expect(forms.match(chunk('b'))).toBeUndefined();
});

test('does not learn a text that equals the probe', () => {
  const data = JSON.stringify({ model: 'probe', choices: [{ delta: { content: 'probe' } }] });
  expect(learned(data).match(data.replace('"probe"', '"other"'))).toBeUndefined();
});

test('gives up on chunks that are all different', () => {
  const forms = new ChunkForms();
  for (let number = 0; number < 9; number += 1) {
    const data = chunk('a', { seed: number });
    forms.learn(data, parse(data));
  }
  expect(forms.match(chunk('b', { seed: 7 }))).toBeDefined();
  expect(forms.match(chunk('b', { seed: 8 }))).toBeUndefined();
});

test('matches the chunks after one that has no form, such as the usage, in each answer', () => {
  const forms = new ChunkForms();
  const usage = (count: number) =>
    chunk('', { choices: [], usage: { total_tokens: count, cached: count } });
  const answer = (count: number) => [chunk('a', { first: true }), chunk('b'), usage(count)];
  const read = (data: string): boolean => {
    const known = forms.match(data);
    if (known === undefined) forms.learn(data, parse(data));
    expect(known ?? parse(data)).toEqual(parse(data));
    return known !== undefined;
  };
  expect(answer(1).map(read)).toEqual([false, false, false]);
  expect(answer(2).map(read)).toEqual([true, true, false]);
  expect(answer(3).map(read)).toEqual([true, true, false]);
  expect(answer(4).map(read)).toEqual([true, true, false]);
  // The one without usage is parsed once, because the usage was expected.
  const without = [chunk('b'), chunk('c'), chunk('d', { first: true })];
  expect(without.map(read)).toEqual([true, true, false]);
  expect(without.map(read)).toEqual([true, true, true]);
});

test.each([':', ',', ':{', '}],', 'probe', 'index'])(
  'reads the chunk after a first text %j, which also occurs outside the text',
  (text) => {
    const forms = learned(chunk(text));
    expect(forms.match(chunk('next')) ?? parse(chunk('next'))).toEqual(parse(chunk('next')));
  },
);

test('does not confuse the first text with an equal value of another field', () => {
  const forms = learned(chunk('assistant'));
  const next = chunk('assistant').replace('"assistant"', '"user"');
  expect(forms.match(next) ?? parse(next)).toEqual(parse(next));
});

const streamed = (id: unknown, time: unknown, delta: object, finish: string | null = null) =>
  JSON.stringify({
    id,
    object: 'chat.completion.chunk',
    created: time,
    model: 'origin',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

test.each([
  ['first chunk', { role: 'assistant', content: '' }, { role: 'assistant', content: '' }, null],
  ['text', { content: 'a' }, { content: 'an "other" one' }, null],
  ['end', {}, {}, 'stop'],
])('matches the %s of a later answer', (_what, delta, later, finish) => {
  const forms = learned(streamed('chat-1', 1000, delta, finish));
  const data = streamed('chat.cmpl:2', 999_999, later, finish);
  expect(forms.match(data)).toEqual(parse(data));
});

test.each([
  ['an id with an escape', streamed('chat"2', 1000, { content: 'b' })],
  ['no id', streamed(null, 1000, { content: 'b' })],
  ['a time that is not a number', streamed('chat-1', '1000', { content: 'b' })],
  ['a time with a leading zero', streamed('chat-1', 5, { content: 'b' }).replace(':5,', ':05,')],
  ['a different order', streamed('chat-1', 5, { content: 'b' }).replace('{"id"', '{"a":1,"id"')],
])('does not match %s', (_what, data) => {
  expect(learned(streamed('chat-1', 1000, { content: 'a' })).match(data)).toBeUndefined();
});

test('a match equals the parsed chunk, whatever was learned before', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('c1', 'stop', 'origin', 'probe', ':', ',', '"', 'created', '":1,"'),
    fc.integer({ min: 0, max: 2000 }),
    fc.constant(null),
  );
  const data = fc
    .tuple(value, value, value, fc.constantFrom(null, 'stop'))
    .map(([id, time, content, finish]) => streamed(id, time, { content }, finish));
  fc.assert(
    fc.property(fc.array(data, { minLength: 2, maxLength: 12 }), (chunks) => {
      const forms = new ChunkForms();
      for (const one of chunks) {
        expect(forms.match(one) ?? parse(one)).toEqual(parse(one));
        forms.learn(one, parse(one));
      }
    }),
    { numRuns: 1000 },
  );
});

describe('events in one part of a stream', () => {
  const event = (data: string) => `data: ${data}\n\n`;
  const text = (content: string) => streamed('chat-1', 1000, { content });
  const end = streamed('chat-1', 1000, {}, 'stop');

  test('of the form of the latest text are split', () => {
    const forms = learned(text('a'));
    const part = [text('b'), text('say "c"'), text(''), text('d'), end].map(event).join('');
    expect(forms.matchEvents(part)).toEqual({
      texts: ['b', 'say "c"', '', 'd'],
      text: 'bsay "c"d',
      content: parse(text('a')),
      rest: event(end),
    });
  });

  test('of a later answer are split', () => {
    const later = (content: string) => streamed('chat-2', 1001, { content });
    const part = event(later('b')) + event(later('c'));
    const content = parse(later('a'));
    const found = { texts: ['b', 'c'], text: 'bc', content, rest: '' };
    expect(learned(text('a')).matchEvents(part)).toEqual(found);
  });

  test('are split as they are parsed one by one', () => {
    const content = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom('"', '\\', '\\"', '"},"finish_reason":null}]}', `${text('b')}\n\n`),
    );
    fc.assert(
      fc.property(fc.array(content, { maxLength: 5 }), fc.nat(60), (contents, cut) => {
        const parts = [...contents.map(text), end].map(event);
        const part = parts.join('').slice(0, -cut || undefined);
        const { texts = [], rest = part } = learned(text('a')).matchEvents(part) ?? {};
        expect(texts).toEqual(contents.slice(0, texts.length));
        expect(rest).toBe(part.slice(parts.slice(0, texts.length).join('').length));
      }),
    );
  });

  test.each([
    ['an event that is cut', event(text('b')).slice(0, -1)],
    ['a first event of a different form', event(end) + event(text('b')).repeat(2)],
    ['a text that is more than a string', event(text('b').replace('"b"', '"b","x":"c"')).repeat(3)],
    ['an event with a second line', `data: ${text('b')}\nid: 1\n\n`.repeat(2)],
  ])('are not split: %s', (_what, part) => {
    expect(learned(text('a')).matchEvents(part)).toBeUndefined();
  });
});

const counted = (usage: object, rest: object = {}) =>
  JSON.stringify({ id: 'chat-1', created: 1000, model: 'origin', choices: [], usage, ...rest });

/** Of the same service, after two answers: a single prompt need not learn its usage. */
function learnedUsage(data: string) {
  const forms = new ChunkForms();
  for (let answer = 0; answer < 2; answer += 1) forms.learn(data, parse(data));
  return forms;
}

test.each([
  ['all counts', { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }],
  ['other counts', { total_tokens: 5, prompt_tokens_details: { cached_tokens: 0 } }],
  ['no counts', {}],
])('matches the usage of a later answer with %s', (_what, usage) => {
  const forms = learnedUsage(counted(usage));
  const numbers = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.double(), fc.constant(0));
  fc.assert(
    fc.property(numbers, numbers, (prompt, total) => {
      const names = Object.keys(usage).includes('prompt_tokens') ? { prompt_tokens: prompt } : {};
      const next = counted({ ...usage, ...names, total_tokens: total });
      expect(forms.match(next) ?? parse(next)).toEqual(parse(next));
    }),
  );
});

test('does not parse the usage of a later answer', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
  const later = counted({ prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 });
  expect(learnedUsage(counted(usage)).match(later)).toEqual(parse(later));
  const fraction = counted({ ...usage, total_tokens: 1.5 });
  expect(learnedUsage(counted(usage)).match(fraction)).toBeUndefined();
});

test.each([
  ['in another object', { total_tokens: 5, details: { total_tokens: 6 } }],
  ['only in another object', { details: { total_tokens: 6 }, total_tokens: '5' }],
])('reads a count whose name is %s', (_what, usage) => {
  const forms = learnedUsage(counted(usage));
  const next = counted(usage).replace('6', '7');
  expect(forms.match(next) ?? parse(next)).toEqual(parse(next));
});
