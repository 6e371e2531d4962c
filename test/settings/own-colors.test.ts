import { describe, expect, test } from 'vitest';
import { ownColors, parseOwnColor } from '../../src/settings/own-colors.ts';
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

  test.each([
    '',
    'redd',
    '#fff',
    '#5fafd',
    'red blue',
    'red red',
    'bold bold',
    'red blink',
    '31',
    '\u001B[31m',
    7,
    null,
  ])('%j is refused with the expected form', async (value) => {
    const failure = await failureOf(() => parseOwnColor(value, origin));
    expect(failure.kind).toBe('usage');
    expect(failure.message).toMatch(/^colors\.code must be a colour such as red, bright-blue/);
  });
});

test('the colours of a profile are read by part', () => {
  expect(ownColors({ code: 'Bold red' }, 'work')).toEqual({ code: 'red bold' });
});

test('a bad colour and an unknown part in a file are refused', async () => {
  const color = await failureOf(() => ownColors({ code: 'redd' }, 'work'));
  expect(color).toMatchObject({
    kind: 'configuration',
    message: expect.stringMatching(/^colors\.code in profile work must be a colour/) as string,
    hint: 'natter config unset colors.code --profile work',
  });
  const part = await failureOf(() => ownColors({ cod: 'red' }, 'work'));
  expect(part).toMatchObject({
    kind: 'configuration',
    message: '"cod" is not a part of an answer with a colour in profile work',
    hint: expect.stringMatching(
      /^correct the file by hand; the parts are heading, code,/,
    ) as string,
  });
});
