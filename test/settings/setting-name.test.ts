import { describe, expect, test } from 'vitest';
import { parseOwnColor } from '../../src/settings/setting-name.ts';
import { failureOf } from './fixtures/stored.ts';

const origin = { label: 'colors.code', kind: 'usage' } as const;

describe('a colour', () => {
  test.each([
    ['red', 'red'],
    [' Bright-Blue ', 'bright-blue'],
    ['underline bold #5FAFD7', '#5fafd7 bold underline'],
    ['bold', 'default bold'],
    ['default', 'default'],
  ])('%j is stored as %j', (text, stored) => {
    expect(parseOwnColor(text, origin)).toBe(stored);
  });

  const words = ['', 'redd', '#fff', '#5fafd', 'red blue', 'red red', 'bold bold', 'red blink'];
  test.each([...words, '31', '\u001B[31m', 7, null])('%j is refused', async (value) => {
    const failure = await failureOf(() => parseOwnColor(value, origin));
    expect(failure.kind).toBe('usage');
    expect(failure.message).toMatch(/^colors\.code must be a colour such as red, bright-blue/);
  });
});
