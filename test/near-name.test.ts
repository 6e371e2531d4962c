import { expect, test } from 'vitest';
import { nearlyNamed } from '../src/near-name.ts';

const names = new Set(['chat', 'models', 'config', 'help', 'a']);

test.each([
  ['modles', 'models'],
  ['modelss', 'models'],
  ['mudels', 'models'],
  ['', undefined],
  ['x', undefined],
  ['Models', 'models'],
  ['hlep', 'help'],
  ['hepl', 'help'],
  ['cat', 'chat'],
  ['hello', undefined],
  ['models', undefined],
  ['yellow', undefined],
  ['why', undefined],
  ['modles now', undefined],
])('%j almost matches %s', (word, name) => {
  expect(nearlyNamed(word, names)).toBe(name);
});
