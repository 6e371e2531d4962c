import { describe, expect, test } from 'vitest';
import { announcedLimits } from '../../../src/batch/limits/announced-limits.ts';

type Limit = readonly [limit: number | undefined, remaining: number];

describe('the limits in headers', () => {
  test.each<readonly [string, string, readonly Limit[]]>([
    [
      'OpenAI and Groq',
      'x-ratelimit-limit-requests: 60, x-ratelimit-remaining-requests: 59, x-ratelimit-limit-tokens: 90, x-ratelimit-remaining-tokens: 80',
      [
        [60, 59],
        [90, 80],
      ],
    ],
    [
      'Anthropic',
      'anthropic-ratelimit-requests-limit: 50, anthropic-ratelimit-requests-remaining: 0',
      [[50, 0]],
    ],
    [
      'Mistral',
      'x-ratelimit-limit-req-minute: 720, x-ratelimit-remaining-req-minute: 717',
      [[720, 717]],
    ],
    ['OpenRouter', 'x-ratelimit-remaining: 0', [[undefined, 0]]],
    ['the draft of a standard', 'ratelimit: "default";r=50;t=30', [[undefined, 50]]],
    ['a service with odd numbers', 'x-ratelimit-remaining-requests: many', []],
  ])('of %s are read', (_, headers, [requests, tokens]) => {
    const limitOf = ([limit, remaining]: Limit) => ({ limit, remaining });
    const given = Object.fromEntries(headers.split(', ').map((header) => header.split(': ')));
    expect(announcedLimits(given)).toEqual({
      requests: requests && limitOf(requests),
      tokens: tokens && limitOf(tokens),
    });
  });

  test('are undefined for a service without limits', () => {
    expect(announcedLimits({ 'content-type': 'text/html' })).toBeUndefined();
  });
});
