import { describe, expect, test } from 'vitest';
import {
  acceptMatch,
  addEntry,
  createHistory,
  extendQuery,
  matchOf,
  entryBeside,
  olderMatches,
  searchNewer,
  searchOlder,
  shortenQuery,
  startSearch,
  type History,
  type HistoryStep,
} from '../../../src/repl/composer/history.ts';
import { contentOf } from '../../../src/repl/composer/paste.ts';
import {
  createBuffer,
  draftFrom,
  draftOf,
  insertPaste,
  type Draft,
} from '../../../src/repl/composer/text-buffer.ts';
import { expectForAll, fc } from '../../support/properties.ts';

const history = createHistory(['first', 'second', 'third']);

type Move = (from: History, current: Draft) => HistoryStep | undefined;

const olderEntry: Move = (from, current) => entryBeside(from, -1, current);
const newerEntry: Move = (from, current) => entryBeside(from, 1, current);

/** Moves as far as that is possible. */
const moved = (start: HistoryStep, ...moves: readonly Move[]): HistoryStep =>
  moves.reduce((at, move) => move(at.history, at.draft) ?? at, start);

const typed = (text: string): HistoryStep => ({ history, draft: draftFrom(text) });

test('Up recalls older prompts and stops at the oldest', () => {
  const ups = [1, 2, 3, 4].map((count) => Array<Move>(count).fill(olderEntry));
  const texts = ups.map((moves) => moved(typed(''), ...moves).draft.text);
  expect(texts).toEqual(['third', 'second', 'first', 'first']);
});

test('edits to a recalled prompt stay until something is sent', () => {
  const up = moved(typed('draft'), olderEntry);
  const changed = { ...up, draft: draftFrom('third, changed') };
  const again = moved(changed, olderEntry, newerEntry);
  expect(again.draft.text).toBe('third, changed');
  const { entries } = addEntry(again.history, again.draft).history;
  expect(entries.map(contentOf)).toEqual(['first', 'second', 'third', 'third, changed']);
});

test('the draft returns after a recalled prompt was sent', () => {
  const up = moved(typed('unsent'), olderEntry);
  expect(addEntry(up.history, up.draft).draft.text).toBe('unsent');
});

test.each([
  ['blank texts', '  \n'],
  ['the newest entry again', 'third'],
])('the history does not add %s', (_, text) => {
  expect(addEntry(history, draftFrom(text)).history.entries).toHaveLength(3);
});

test('recalls a sent or cleared draft with its paste marker', () => {
  const sent = insertPaste(createBuffer('see '), 'line\n'.repeat(50));
  const added = addEntry(history, draftOf(sent));
  expect(added.draft.text).toBe('');
  const { draft } = moved(added, olderEntry);
  expect([draft.text, contentOf(draft)]).toEqual([sent.text, contentOf(sent)]);
});

test.each([
  ['its first paragraph', `why?\nsay it\n\n${'code\n'.repeat(40)}`, 'why?\nsay it\n\n'],
  ['its first line, if the paragraph is long', `why?\n${'code\n'.repeat(40)}\nend`, 'why?\n'],
  ['no text, if that is long too', `${'word '.repeat(1000)}\nend`, ''],
])(
  'a long prompt recalled from an earlier session shows %s, and the rest as a paste',
  (_, text, shown) => {
    const { draft } = moved({ history: createHistory([text]), draft: draftFrom('') }, olderEntry);
    expect([draft.text.slice(0, -1), contentOf(draft)]).toEqual([shown, text]);
  },
);

test('Down always leads back to the draft, with its caret', () => {
  const draft = { ...draftFrom('the draft'), cursor: 2 };
  expectForAll(fc.array(fc.constantFrom(olderEntry, newerEntry), { maxLength: 30 }), (moves) => {
    const downs = Array<Move>(4).fill(newerEntry);
    expect(moved({ history, draft }, ...moves, ...downs).draft).toEqual(draft);
  });
});

describe('search', () => {
  const prompts = createHistory([
    'Fix the tests',
    'write docs',
    'fix typos',
    'fix typos',
    '日本 👍',
  ]);
  const search = (query: string) => extendQuery(prompts, startSearch(), query);

  test.each([
    ['the newest prompt with the query', search('fix'), 'fix typos'],
    ['a prompt with other characters', search('👍'), '日本 👍'],
    ['an older prompt, not the same text again', searchOlder(search('fix')), 'Fix the tests'],
    ['a newer prompt', searchNewer(searchOlder(search('fix'))), 'fix typos'],
    ['the case of a query with capitals', search('Fix'), 'Fix the tests'],
    [
      'the same one while it grows',
      extendQuery(prompts, searchOlder(search('fi')), 'x'),
      'Fix the tests',
    ],
    ['the newest when it shrinks', shortenQuery(prompts, searchOlder(search('fi'))), 'fix typos'],
    ['the last match after a failure', extendQuery(prompts, search('fix'), 'zz'), 'fix typos'],
  ])('finds %s', (_, found, text) => {
    expect(matchOf(prompts, found)?.text).toBe(text);
  });

  test('fails without a match, and beyond the oldest one', () => {
    const failed = [
      extendQuery(prompts, search('fix'), 'zz'),
      searchOlder(searchOlder(search('fix'))),
    ];
    expect(failed.map(({ isFailed }) => isFailed)).toEqual([true, true]);
    expect(shortenQuery(prompts, search('👍'))).toMatchObject({ query: '', isFailed: false });
  });

  test('puts the match into the composer as it was sent, and keeps the draft as the newest entry', () => {
    const third = moved(typed('my draft'), olderEntry);
    const query = extendQuery(third.history, startSearch(), 'thi');
    const accepted = acceptMatch(third.history, query.match ?? 0, draftFrom('third, edited'));
    expect(accepted.draft.text).toBe('third');
    expect(moved(accepted, newerEntry).draft.text).toBe('my draft');
  });
});

test('the older matches of a search are listed without repetitions', () => {
  const drinks = createHistory(['tea', 'coffee', 'green tea', 'tea', 'black tea']);
  const search = extendQuery(drinks, startSearch(), 'tea');
  const texts = (count: number) => olderMatches(drinks, search, count).map(({ text }) => text);
  expect(texts(4)).toEqual(['tea', 'green tea', 'tea']);
  expect(texts(1)).toEqual(['tea']);
  expect(olderMatches(drinks, startSearch(), 4)).toEqual([]);
});
