import { describe, expect, test } from 'vitest';
import { announcedLimits } from '../../../src/batch/limits/announced-limits.ts';

describe('the limits in headers', () => {
  test.each([
    [
      'OpenAI and Groq',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-tokens': '149984',
      },
      {
        requests: { limit: 60, remaining: 59 },
        tokens: { limit: 150_000, remaining: 149_984 },
      },
    ],
    [
      'Anthropic',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
      },
      { requests: { limit: 50, remaining: 0 }, tokens: undefined },
    ],
    [
      'Mistral',
      { 'x-ratelimit-limit-req-minute': '720', 'x-ratelimit-remaining-req-minute': '717' },
      { requests: { limit: 720, remaining: 717 }, tokens: undefined },
    ],
    [
      'OpenRouter',
      { 'x-ratelimit-remaining': '0' },
      { requests: { limit: undefined, remaining: 0 }, tokens: undefined },
    ],
    [
      'the draft of a standard',
      { ratelimit: '"default";r=50;t=30' },
      { requests: { limit: undefined, remaining: 50 }, tokens: undefined },
    ],
    ['a service with odd numbers', { 'x-ratelimit-remaining-requests': 'many' }, {}],
  ])('of %s are read', (_, headers, expected) => {
    const empty = { requests: undefined, tokens: undefined };
    expect(announcedLimits(headers)).toEqual({ ...empty, ...expected });
  });

  test('are undefined for a service without limits', () => {
    expect(announcedLimits({ 'content-type': 'text/html' })).toBeUndefined();
  });
});
