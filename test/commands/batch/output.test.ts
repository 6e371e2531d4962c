import { expect, test } from 'vitest';
import { createOrderedOutput, outcomeLine } from '../../../src/commands/batch/output.ts';
import type { ItemOutcome } from '../../../src/commands/batch/sending/send-item.ts';
import { createSecrets } from '../../../src/secrets/secrets.ts';
import { Failure } from '../../../src/failure.ts';
import { fc } from '../../support/properties.ts';

/** An output that expects these numbers. */
function open(...numbers: readonly number[]) {
  const written: string[] = [];
  const output = createOrderedOutput((text) => void written.push(text));
  for (const number of numbers) void output.expect(number);
  return { output, text: () => written.join('') };
}

test('results that arrive in any order are written in item order', () => {
  const numbers = [...Array(20).keys()].map((number) => 3 * number);
  fc.assert(
    fc.property(fc.shuffledSubarray(numbers, { minLength: 20 }), (order) => {
      const { output, text } = open(...numbers);
      for (const number of order) void output.put(number, `${number},`);
      return text() === numbers.map((number) => `${number},`).join('');
    }),
  );
});

test('a result is written as soon as all earlier ones are written', () => {
  const { output, text } = open(0, 1, 2);
  void output.put(0, 'a');
  expect(text()).toBe('a');
  void output.put(2, 'c');
  expect(text()).toBe('a');
  void output.put(1, 'b');
  expect(text()).toBe('abc');
});

test('the end writes results that wait for a missing one', () => {
  const { output, text } = open(0, 1, 3);
  void output.put(3, 'd');
  void output.put(1, 'b');
  void output.end();
  expect(text()).toBe('bd');
});

test('there is no room while the buffer is full, and only a result that makes room wakes the waiting reader', async () => {
  const { output } = open(0, 1, 3);
  const large = 'x'.repeat(1 << 24);
  void output.put(1, large);
  expect(output.expect(5)).toBeUndefined();
  void output.put(3, large);
  let hasRoom = false;
  void output.expect(6)?.then(() => (hasRoom = true));
  void output.put(5, 'small');
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(false);
  void output.put(0, 'first');
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(true);
});

const answered: ItemOutcome = {
  requestedModel: 'origin',
  content: 'Yes.',
  metadata: {
    complete: true,
    id: 'chatcmpl-1',
    model: 'origin',
    finishReason: 'stop',
    usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
    attempts: 1,
    timing: { firstText: 1.4, total: 2.5 },
  },
  failure: undefined,
  received: 'the answer',
  error: undefined,
  isStopped: false,
  isStarved: false,
};

const withMetadata = (metadata: Partial<ItemOutcome['metadata']>): ItemOutcome => ({
  ...answered,
  metadata: { ...answered.metadata, ...metadata },
});

const withoutMetadata = (name: 'id' | 'model' | 'finishReason' | 'usage'): ItemOutcome => {
  const { [name]: _, ...metadata } = answered.metadata;
  return { ...answered, metadata };
};

const secrets = createSecrets({});

const place = { index: 7, line: 9, id: null, prompt_hash: '0000000000000005' };
const answer = {
  ...place,
  completion_id: 'chatcmpl-1',
  model: 'origin',
  content: 'Yes.',
  finish_reason: 'stop',
  usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
  attempts: 1,
  timing: { first_text_ms: 1, total_ms: 3 },
};

test.each<readonly [string, ItemOutcome, object]>([
  ['an answer', answered, answer],
  ['no id', withoutMetadata('id'), { ...answer, completion_id: null }],
  ['no model', withoutMetadata('model'), answer],
  [
    'a different model',
    withMetadata({ model: 'nextgen' }),
    { ...answer, requested_model: 'origin', model: 'nextgen' },
  ],
  ['no finish reason', withoutMetadata('finishReason'), { ...answer, finish_reason: null }],
  ['no usage', withoutMetadata('usage'), { ...answer, usage: null }],
  ['no text', withMetadata({ timing: { total: 0.4 } }), { ...answer, timing: { total_ms: 0 } }],
  ['a profile', withMetadata({ profile: 'local' }), { ...answer, profile: 'local' }],
  ['a refusal', withMetadata({ refusal: 'No.' }), { ...answer, refusal: 'No.' }],
  [
    'a truncated prompt',
    withMetadata({ estimatedPromptTokens: 99 }),
    { ...answer, truncated_suspected: true, estimated_prompt_tokens: 99 },
  ],
  ['an incomplete answer', withMetadata({ complete: false }), { ...answer, incomplete: true }],
  [
    'a failure',
    { ...answered, failure: new Failure('incomplete', 'the answer is incomplete') },
    { ...answer, error: expect.objectContaining({ kind: 'incomplete' }) as object },
  ],
  [
    'a checked answer',
    { ...answered, checked: { fields: { value: 1 }, withValue: (line) => line } },
    { ...answer, value: 1 },
  ],
])('the line of %s', (_, outcome, fields) => {
  const item = { index: 7, line: 9, id: undefined };
  expect(JSON.parse(outcomeLine(secrets, item, '0000000000000005', outcome))).toEqual(fields);
});

test.each(['', 'a "word"', 'a\\b', 'two\nlines', '日本語', '\u001b[31m', '\u2028', '\x7f'])(
  'the text %j is kept, on one line without control characters',
  (content) => {
    const line = outcomeLine(secrets, { index: 7, line: 9, id: 'b"' }, '0000000000000005', {
      ...answered,
      content,
    });
    expect(JSON.parse(line)).toMatchObject({ id: 'b"', content });
    expect(line.slice(0, -1)).toMatch(/^[^\p{Cc}\u2028]+$/u);
  },
);
