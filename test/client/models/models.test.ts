import { describe, expect, test } from 'vitest';
import { describeModel } from '../../../src/client/models/model-description.ts';
import { parseModelList, parseModelRecord } from '../../../src/client/create-client.ts';
import { Failure } from '../../../src/failure.ts';

const origin = { id: 'origin', object: 'model', extra: { deep: [1] } };
const nextgen = { id: 'nextgen' };

describe('a list of models', () => {
  test.each<readonly [string, unknown, readonly unknown[]]>([
    ['records', [origin, nextgen], [origin, nextgen]],
    ['ids', ['origin', 'nextgen'], [{ id: 'origin' }, nextgen]],
    ['data', { object: 'list', data: [origin, nextgen] }, [origin, nextgen]],
    ['models', { models: [origin] }, [origin]],
    ['a list in data', { data: { models: [origin] } }, [origin]],
    ['an empty list', { data: [] }, []],
    ['the same model twice', [origin, origin], [origin]],
    [
      'both lists',
      { models: [{ name: 'origin', size: 2, object: 'x' }, 'third'], data: [origin] },
      [{ ...origin, name: 'origin', size: 2 }, { id: 'third' }],
    ],
    ['a name for an id', [{ id: '', name: 'c' }], [{ id: 'c', name: 'c' }]],
    ['a model for an id', [{ model: 'b' }], [{ id: 'b', model: 'b' }]],
    ['entries without an id', [null, 4, '', {}, { id: 5 }, nextgen], [nextgen]],
  ])('is read from %s', (_, value, models) => {
    expect(parseModelList(value)).toEqual(models);
  });

  test('S34 does not set a prototype', () => {
    const [model] = parseModelList(
      JSON.parse('[{"id":"a","__proto__":{"purpose":"x"}},{"id":"__proto__"}]'),
    );
    expect(model?.['purpose']).toBeUndefined();
    expect(({} as Record<string, unknown>)['purpose']).toBeUndefined();
  });

  test.each([[null], ['origin'], [{}], [{ data: 'origin' }], [7]])('%j is a failure', (value) => {
    expect(() => parseModelList(value)).toThrow(Failure);
  });
});

describe('one model', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['a record', origin, origin],
    ['an id', 'origin', { id: 'origin' }],
    ['data', { data: origin }, origin],
    ['a list of one in data', { data: [origin] }, origin],
    ['model', { model: origin }, origin],
    ['such fields', { id: 'a', data: {}, model: {} }, { id: 'a', data: {}, model: {} }],
    ['a record whose model is its id', { model: 'a', n: 5 }, { id: 'a', model: 'a', n: 5 }],
    ['a record without an id', { context_window: 5 }, { id: 'requested', context_window: 5 }],
  ])('is read from %s', (_, value, model) => {
    expect(parseModelRecord(value, 'requested')).toEqual(model);
  });

  test.each([[null], [7], [''], [[]], [{ data: [] }]])('%j is a failure', (value) => {
    expect(() => parseModelRecord(value, 'requested')).toThrow(Failure);
  });
});

test('prefers the service to the catalogue for each property, and names those from the catalogue', () => {
  const record = { id: 'origin', context_window: 64_000, purpose: ' tests ' };
  expect(describeModel(record)).toStrictEqual({
    id: 'origin',
    contextWindow: 64_000,
    latency: 18,
    purpose: 'tests',
    fromCatalogue: ['latency'],
  });
  expect(describeModel({ id: 'other' })).toStrictEqual({ id: 'other', fromCatalogue: [] });
});

test.each([
  [{ context_length: 5 }, 5],
  [{ max_model_len: 5 }, 5],
  [{ max_context_length: 5 }, 5],
  [{ n_ctx: 5 }, 5],
  [{ meta: { n_ctx_train: 5 } }, 5],
  [{ limits: { context_window: 5 } }, 5],
  [{ capabilities: { limits: { max_context_window_tokens: 5 } } }, 5],
  [{ top_provider: { context_length: 5 } }, 5],
  [{ context_window: '128K' }, 128_000],
  [{ context_window: '1M tokens' }, 1_000_000],
  [{ context_window: '1.5m' }, 1_500_000],
  [{ context_window: '131,072 tokens' }, 131_072],
  [{ context_window: 0, context_length: -1, n_ctx: 'unknown', max_model_len: null }, undefined],
  [{ context_window: { tokens: 5 } }, undefined],
  [{ context_window: '5'.padEnd(64) }, 5],
  [{ context_window: '5'.padEnd(65) }, undefined],
])('reads the context window of %j', (fields, tokens) => {
  expect(describeModel({ id: 'other', ...fields }).contextWindow).toBe(tokens);
});

test.each([
  [{ latency_ms: 12 }, 12],
  [{ latency: 'about 18 ms' }, 18],
  [{ typical_latency: '0.02 s' }, 20],
  [{ typicalLatencyMs: '7' }, 7],
  [{ metadata: { latency: 9 } }, 9],
  [{ latency: 'low' }, undefined],
])('reads the latency of %j in milliseconds', (fields, milliseconds) => {
  expect(describeModel({ id: 'other', ...fields }).latency).toBe(milliseconds);
});

test('reads a description as the purpose', () => {
  expect(describeModel({ id: 'other', description: 'a model' }).purpose).toBe('a model');
});
