import { expect, test } from 'vitest';
import { searchTerms } from '../../../src/conversation/library/search.ts';

test.each([
  ['', []],
  ['  ', []],
  ['""', []],
  ['green tea', ['green', 'tea']],
  ['"green tea" hot', ['green tea', 'hot']],
  ['hot "green te', ['hot', 'green te']],
  ['5"disk', ['5', 'disk']],
  ["don't", ["don't"]],
])('%j has the terms %j', (query, terms) => {
  expect(searchTerms(query)).toEqual(terms);
});
