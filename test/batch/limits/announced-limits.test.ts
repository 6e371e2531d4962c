import { expect, test } from 'vitest';
import { announcedLimits } from '../../../src/batch/limits/announced-limits.ts';

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
  ['an odd service', { 'x-ratelimit-remaining-requests': 'many' }, undefined, undefined],
  ['a service without limits', { 'content-type': 'text/html' }, undefined, undefined],
])('the limits in the headers of %s are read', (_, headers, requests, tokens) => {
  expect(announcedLimits(headers)).toEqual({ requests, tokens });
});
