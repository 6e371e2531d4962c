import { describe, expect, test } from 'vitest';
import { announcedLimits } from '../../../src/batch/limits/announced-limits.ts';

describe('the limits in headers', () => {
  test.each([
    [
      'OpenAI',
      { 'x-ratelimit-remaining-requests': '59', 'x-ratelimit-remaining-tokens': '80' },
      59,
      80,
    ],
    ['Anthropic', { 'anthropic-ratelimit-requests-remaining': '0' }, 0, undefined],
    ['Mistral', { 'x-ratelimit-remaining-req-minute': '717' }, 717, undefined],
    ['OpenRouter', { 'x-ratelimit-remaining': '0' }, 0, undefined],
    ['the draft of a standard', { ratelimit: '"default";r=50;t=30' }, 50, undefined],
    ['odd numbers', { 'x-ratelimit-remaining-requests': 'many' }, undefined, undefined],
  ])('of %s are read', (_, headers, requests, tokens) => {
    expect(announcedLimits(headers)).toEqual({ requests, tokens });
  });

  test('are undefined for a service without limits', () => {
    expect(announcedLimits({ 'content-type': 'text/html' })).toBeUndefined();
  });
});
