import { describe, expect, test } from 'vitest';
import { announcedLimits, parseReset } from '../../../src/batch/limits/announced-limits.ts';

const now = new Date('2026-11-20T12:00:00Z');

describe('the time until a limit is reset', () => {
  test.each([
    ['6m0s', 360_000],
    ['20ms', 20],
    ['7.66s', 7660],
    ['1h2m3s', 3_723_000],
    ['2m59.56s', 179_560],
    ['30', 30_000],
    ['0.5', 500],
    ['1795176030', 30_000],
    ['1795176030000', 30_000],
    ['2026-11-20T12:00:30Z', 30_000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['2026-11-20T11:00:00Z', 0],
  ])('is read from %s', (text, expected) => {
    expect(parseReset(text, now)).toBeCloseTo(expected);
  });

  test.each(['', 'soon', '-5', '5 apples', 'NaN'])('is unknown for "%s"', (text) => {
    expect(parseReset(text, now)).toBeUndefined();
  });
});

describe('the limits in headers', () => {
  test.each([
    [
      'OpenAI and Groq',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      {
        requests: { limit: 60, remaining: 59, reset: 1000 },
        tokens: { limit: 150_000, remaining: 149_984, reset: 360_000 },
      },
    ],
    [
      'Anthropic',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-11-20T12:00:10Z',
      },
      { requests: { limit: 50, remaining: 0, reset: 10_000 }, tokens: undefined },
    ],
    [
      'Mistral',
      { 'x-ratelimit-limit-req-minute': '720', 'x-ratelimit-remaining-req-minute': '717' },
      { requests: { limit: 720, remaining: 717, reset: undefined }, tokens: undefined },
    ],
    [
      'OpenRouter',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795176060000' },
      { requests: { limit: undefined, remaining: 0, reset: 60_000 }, tokens: undefined },
    ],
    [
      'the draft of a standard',
      { ratelimit: '"default";r=50;t=30' },
      { requests: { limit: undefined, remaining: 50, reset: 30_000 }, tokens: undefined },
    ],
    ['no such service', { 'content-type': 'text/html' }, {}],
    ['a service with odd numbers', { 'x-ratelimit-remaining-requests': 'many' }, {}],
  ])('of %s are read', (_, headers, expected) => {
    const empty = { requests: undefined, tokens: undefined };
    expect(announcedLimits(headers, now)).toEqual({ ...empty, ...expected });
  });
});
