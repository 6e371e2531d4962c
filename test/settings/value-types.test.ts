import { describe, expect, test } from 'vitest';

import { formatDuration, parseDuration } from '../../src/settings/value-types.ts';
import { fc } from '../support/properties.ts';

describe('parseDuration', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['1.5m', 90_000],
    ['0.25s', 250],
    ['30', 30_000],
    ['0', 0],
    [' 5 s ', 5000],
    ['5S', 5000],
    ['24d', undefined],
    ['-1s', undefined],
    ['1e3', undefined],
    ['.5s', undefined],
    ['', undefined],
    ['s', undefined],
    ['1h30m', undefined],
    ['Infinity', undefined],
    ['596h', 2_145_600_000],
    ['597h', 2_149_200_000],
    ['9'.repeat(20), undefined],
    ['9'.repeat(400), undefined],
  ])('reads %j as %s milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });
});

describe('formatDuration', () => {
  test.each([
    [0, '0'],
    [500, '500ms'],
    [1000, '1s'],
    [90_000, '90s'],
    [600_000, '10m'],
    [3_600_000, '1h'],
    [1234, '1234ms'],
  ])('writes %s milliseconds as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test('writes texts that parseDuration reads', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });
});
