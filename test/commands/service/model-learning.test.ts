import { expect, test } from 'vitest';
import {
  refusedWindow,
  sampleOf,
  withSample,
} from '../../../src/commands/service/model-learning.ts';
import { Failure } from '../../../src/failure.ts';

const requestOf = (content: string, params?: Readonly<Record<string, unknown>>) => ({
  model: 'm',
  messages: [{ role: 'user' as const, content }],
  ...(params && { params }),
});
const english = 'abcd efgh ijkl mnop '.repeat(50);
const chinese = '今天的天气很好我们去公园散步吧'.repeat(50);

test.each([
  ['ASCII', english, 204, { kind: 'ascii', ratio: 0.2 }],
  ['Chinese', chinese, 454, { kind: 'other', ratio: 0.6 }],
  ['Chinese with some ASCII', `${chinese}${'a'.repeat(400)}`, 554, { kind: 'other', ratio: 0.6 }],
  ['a mixed text', `${english}${chinese.slice(0, 300)}`, 500, undefined],
  ['a short text', english.slice(0, 399), 100, undefined],
  ['a count of 0', english, 0, undefined],
  ['a count far too low', english, 80, undefined],
  ['a count far too high', english, 5000, undefined],
  [
    'a long prompt that was counted in full',
    english.repeat(10),
    2104,
    { kind: 'ascii', ratio: 0.21 },
  ],
  ['a long prompt that was cut a little', english.repeat(10), 1900, undefined],
  ['a long prompt that was cut to a fifth', english.repeat(40), 2048, undefined],
])('the sample of %s', (_, text, counted, sample) => {
  expect(sampleOf(requestOf(text), counted, {})).toEqual(sample);
});

test('a prompt with tools is no sample', () => {
  expect(sampleOf(requestOf(english, { temperature: 0 }), 204, {})).toBeDefined();
  expect(sampleOf(requestOf(english, { tools: [] }), 204, {})).toBeUndefined();
});

test('three samples are kept, and later ones only if they differ', () => {
  const ascii = [0.2, 0.2];
  expect(withSample({ ascii }, { kind: 'ascii', ratio: 0.2 })).toEqual({ ascii: [0.2, 0.2, 0.2] });
  const known = { window: 5, ascii: [0.2, 0.2, 0.2] };
  expect(withSample(known, { kind: 'ascii', ratio: 0.21 })).toBeUndefined();
  expect(withSample(known, { kind: 'ascii', ratio: 0.3 })).toEqual({
    window: 5,
    ascii: [0.2, 0.2, 0.2, 0.3],
  });
  expect(withSample(known, { kind: 'other', ratio: 0.6 })).toEqual({ ...known, other: [0.6] });
});

test('the nine newest samples are kept', () => {
  const ascii = [0.11, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2];
  const next = withSample({ ascii }, { kind: 'ascii', ratio: 0.3 });
  expect(next?.ascii).toEqual([...ascii.slice(1), 0.3]);
});

test.each([
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens (9001 in the messages, 0 in the completion).",
    8192,
  ],
  ['the request exceeds the available context size (4096 tokens), try increasing it', 4096],
  [
    'request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it',
    4096,
  ],
  ['The input has 31430 tokens, but the context length only supports 30000 tokens.', 30_000],
  ['Prompt contains 40000 tokens, too large for model with 32,768 maximum context length', 32_768],
  ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
  [
    'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
    1_048_576,
  ],
  ['context length exceeded: 7', undefined],
  ['the context window is full', undefined],
  ['max_tokens must be at most 4096', undefined],
])('the refusal %j names the window %j', (message, window) => {
  expect(refusedWindow(new Failure('invalid_request', message))).toBe(window);
  expect(refusedWindow(new Failure('server_error', message))).toBeUndefined();
});
