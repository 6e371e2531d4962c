import { expect, test } from 'vitest';
import { anyOutcomeLine, outcomeLine } from '../../../../src/commands/batch/output/result.ts';
import type { ItemOutcome } from '../../../../src/commands/batch/sending/item-attempt.ts';
import { createSecrets } from '../../../../src/commands/program/secrets.ts';
import { Failure } from '../../../../src/failure.ts';

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

const contents = [
  '',
  'a "word"',
  'a\\b',
  'two\nlines',
  'é',
  '日本語',
  '\u001b[31m',
  '\ud800',
  '\u2028',
  '\x7f',
];

const outcomes: readonly (readonly [string, ItemOutcome])[] = [
  ['an answer', answered],
  ...contents.map((content) => [JSON.stringify(content), { ...answered, content }] as const),
  ['an id with a quote', withMetadata({ id: '"' })],
  ['no id', withoutMetadata('id')],
  ['no model', withoutMetadata('model')],
  ['a different model', withMetadata({ model: 'nextgen' })],
  ['no finish reason', withoutMetadata('finishReason')],
  ['no usage', withoutMetadata('usage')],
  ['a part of the usage', withMetadata({ usage: { total_tokens: 3 } })],
  ['no text', withMetadata({ timing: { total: 0.4 } })],
  ['several attempts', withMetadata({ attempts: 3 })],
  ['a profile', withMetadata({ profile: 'local' })],
  ['a fallback', withMetadata({ fallbackFrom: [] })],
  ['a refusal', withMetadata({ refusal: 'No.' })],
  ['a truncated prompt', withMetadata({ estimatedPromptTokens: 99 })],
  ['an incomplete answer', withMetadata({ complete: false })],
  ['a failure', { ...answered, failure: new Failure('incomplete', 'the answer is incomplete') }],
  [
    'a checked answer',
    { ...answered, checked: { fields: { value: 1 }, withValue: (line) => line } },
  ],
];

const secrets = createSecrets({});

test.each(outcomes)('the line of %s has the fields of any outcome', (_, outcome) => {
  for (const id of [undefined, 'a', 'b"']) {
    const place = { index: 7, line: 9, id };
    const line = outcomeLine(secrets, place, 5n, outcome);
    expect(line).toBe(anyOutcomeLine(secrets, place, 5n, outcome));
    expect(JSON.parse(line)).toMatchObject({ index: 7, line: 9, id: id ?? null });
  }
});
