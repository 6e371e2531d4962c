import { expect, test } from 'vitest';
import { describeModel } from '../../../src/client/models/model-description.ts';

test('completes a bare id from the catalogue, and names the source', () => {
  expect(describeModel({ id: 'nextgen' })).toStrictEqual({
    id: 'nextgen',
    contextWindow: 1_000_000,
    latency: 20,
    purpose: 'most advanced model',
    sources: { contextWindow: 'catalogue', latency: 'catalogue', purpose: 'catalogue' },
  });
});

test('prefers the service to the catalogue, for each field', () => {
  expect(describeModel({ id: 'origin', context_window: 64_000, purpose: ' tests ' })).toStrictEqual(
    {
      id: 'origin',
      contextWindow: 64_000,
      latency: 18,
      purpose: 'tests',
      sources: { contextWindow: 'service', latency: 'catalogue', purpose: 'service' },
    },
  );
});

test('omits unknown properties of a model that is not in the catalogue', () => {
  expect(describeModel({ id: 'other' })).toStrictEqual({ id: 'other', sources: {} });
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
