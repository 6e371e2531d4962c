import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  compilePatterns,
  searchConversation,
  searchTerms,
} from '../../../src/conversation/library/search.ts';
import { failureOf } from '../../settings/fixtures/stored.ts';
import { fileOf, journalOptions, storedConversation } from '../journal-fixtures.ts';

async function search(answer: string, terms: readonly RegExp[], context = 0) {
  const options = journalOptions();
  const id = await storedConversation(options, [['a prompt', answer]]);
  return searchConversation(fileOf(options.folder, id), terms, context);
}

test('a search ignores case, and marks the hits', async () => {
  const [found] = await search('one\nTwo two\nthree', compilePatterns(['two']));
  expect(found).toMatchObject({ role: 'assistant', hits: 2 });
  expect(found?.lines).toMatchObject([{ number: 2, text: 'Two two' }]);
  expect(found?.lines[0]?.marks.flat()).toEqual([0, 3, 4, 7]);
});

test('a search finds any of several terms, the longest first', async () => {
  const [found] = await search('a teapot\nand tea+', compilePatterns(['tea', 'tea+', 'teapot']));
  expect(found?.lines.map(({ marks }) => marks)).toEqual([[[2, 8]], [[4, 8]]]);
});

test('N12: a search has the hits in turns before those in attached files', async () => {
  const options = journalOptions();
  const prompt = 'what is this?\n\n<file name="a.md">\nneedle\n</file>';
  const id = await storedConversation(options, [[prompt, 'A needle.']]);
  const found = searchConversation(fileOf(options.folder, id), compilePatterns(['needle']), 0);
  expect(found.map(({ role }) => role)).toEqual(['assistant', 'user']);
});

test('a search shows the lines around a hit once', async () => {
  const [found] = await search('1\n2 x\n3 x\n4\n5\n6', compilePatterns(['x']), 1);
  expect(found?.lines.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
});

test('a search finds hits in answers streamed at the same time, each answer once', async () => {
  const options = journalOptions();
  const file = fileOf(options.folder, await storedConversation(options, [['a prompt', 'so']]));
  const answer = { type: 'turn', parent: null, role: 'assistant', content: '' };
  const turns = ['y', 'z'].map((id) => ({ ...answer, id }));
  const texts = ['nee', 'dle'].flatMap((text) =>
    turns.map(({ id: turn }) => ({ type: 'text', turn, text })),
  );
  const ends = turns.map(({ id: turn }) => ({ type: 'end', turn }));
  const records = [...turns, ...texts, ...ends];
  appendFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const found = searchConversation(file, compilePatterns(['needle']), 0);
  expect(found.map(({ turn, hits }) => [turn, hits])).toEqual([
    ['y', 1],
    ['z', 1],
  ]);
});

test('a search marks each line of a hit that spans lines where it begins', async () => {
  const patterns = compilePatterns(['a\\s+b'], { regularExpression: true });
  const [found] = await search('x a\nb y a b', patterns);
  expect(found).toMatchObject({ hits: 2 });
  expect(found?.lines.map(({ marks }) => marks.flat())).toEqual([
    [2, 3],
    [0, 1, 4, 7],
  ]);
});

test.each([
  ['a.c', {}, 'abc a.c', [4, 7]],
  ['a.c', { regularExpression: true }, 'abc a.c', [0, 3, 4, 7]],
  ['A', { caseSensitive: true }, 'aA', [1, 2]],
  ['x*', { regularExpression: true }, 'axx', [1, 3]],
  ['👍', {}, '👎👍', [2, 4]],
])('a search for %s with %j', async (text, options, answer, marks) => {
  const [found] = await search(answer, compilePatterns([text], options));
  expect(found?.lines[0]?.marks.flat()).toEqual(marks);
});

test.each([
  ['', false],
  ['(', true],
])('a search refuses %j', async (text, regularExpression) => {
  const failure = await failureOf(() => compilePatterns([text], { regularExpression }));
  expect(failure.kind).toBe('usage');
});

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
