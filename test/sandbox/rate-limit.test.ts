import { describe, expect, test } from 'vitest';
import { parseRateLimit } from '../../src/sandbox/keys.ts';

describe('parseRateLimit', () => {
  test.each([
    ['3/10s', { requests: 3, seconds: 10 }],
    ['60/min', { requests: 60, seconds: 60 }],
    ['1/2m', { requests: 1, seconds: 120 }],
    [' 5/h ', { requests: 5, seconds: 3600 }],
  ])('reads %j', (text, limit) => {
    expect(parseRateLimit(text)).toEqual(limit);
  });

  test.each(['', '3', '3/', '0/s', '3/0s', '3/10', '-1/s', '3/10d'])('refuses %j', (text) => {
    expect(() => parseRateLimit(text)).toThrow(/looks like 3\/10s/);
  });
});
