import { expect, test } from 'vitest';
import { isSet } from '../src/environment.ts';

test.each([
  ['a variable with a value is set', { TEA: 'green' }, true],
  ['an empty variable is not set', { TEA: '' }, false],
  ['a variable that is missing is not set', {}, false],
])('%s', (_, environment, expected) => {
  expect(isSet(environment, 'TEA')).toBe(expected);
});
