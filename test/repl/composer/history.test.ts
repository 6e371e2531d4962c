import { describe, expect, test } from 'vitest';
import {
  acceptSearch,
  addEntry,
  createHistory,
  extendQuery,
  matchOf,
  newerEntry,
  olderEntry,
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
import { fc } from '../../support/properties.ts';

const history = createHistory(['first', 'second', 'third']);

function step(
  move: (from: History, current: Draft) => HistoryStep | undefined,
  { history: from, draft }: HistoryStep,
): HistoryStep {
  return move(from, draft) ?? { history: from, draft };
}

function typed(text: string): HistoryStep {
  return { history, draft: draftFrom(text) };
}

describe('browsing', () => {
  test('Up recalls older prompts and stops at the oldest', () => {
    const third = step(olderEntry, typed(''));
    expect(third.draft.text).toBe('third');
    const first = step(olderEntry, step(olderEntry, third));
    expect(first.draft.text).toBe('first');
    expect(olderEntry(first.history, first.draft)).toBeUndefined();
  });

  test('Down restores the draft after Up, with its caret', () => {
    const draft = { ...draftFrom('my draft'), cursor: 2 };
    const up = step(olderEntry, step(olderEntry, { history, draft }));
    const back = step(newerEntry, step(newerEntry, up));
    expect(back.draft).toEqual(draft);
    expect(newerEntry(back.history, back.draft)).toBeUndefined();
  });

  test('edits to a recalled prompt stay until something is sent', () => {
    const up = step(olderEntry, typed('draft'));
    const changed = { ...up, draft: draftFrom('third, changed') };
    const again = step(newerEntry, step(olderEntry, changed));
    expect(again.draft.text).toBe('third, changed');
    const sent = addEntry(again.history, again.draft);
    expect(sent.history.entries.map(contentOf)).toEqual([
      'first',
      'second',
      'third',
      'third, changed',
    ]);
  });

  test('the draft returns after a recalled prompt was sent', () => {
    const up = step(olderEntry, typed('unsent'));
    expect(addEntry(up.history, up.draft).draft.text).toBe('unsent');
  });

  test('Up recalls a draft that Ctrl+C cleared', () => {
    const cleared = addEntry(history, draftFrom('cleared'));
    expect(cleared.draft.text).toBe('');
    expect(step(olderEntry, cleared).draft.text).toBe('cleared');
  });

  test.each([
    ['blank texts', '  \n'],
    ['the newest entry again', 'third'],
  ])('does not add %s', (_, text) => {
    expect(addEntry(history, draftFrom(text)).history.entries).toHaveLength(3);
  });

  test('recalls a prompt with its paste marker', () => {
    const sent = insertPaste(createBuffer('see '), 'line\n'.repeat(50));
    const { draft } = step(olderEntry, addEntry(history, draftOf(sent)));
    expect(draft.text).toBe(sent.text);
    expect(contentOf(draft)).toBe(contentOf(sent));
  });

  test('Down always leads back to the draft', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (directions) => {
        let at = typed('the draft');
        for (const isUp of directions) at = step(isUp ? olderEntry : newerEntry, at);
        for (let down = 0; down < 4; down += 1) at = step(newerEntry, at);
        expect(at.draft.text).toBe('the draft');
      }),
    );
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

  function search(query: string) {
    return extendQuery(prompts, startSearch(), query);
  }

  function found(state: ReturnType<typeof search>): string | undefined {
    return matchOf(prompts, state)?.text;
  }

  test('finds the newest prompt that contains the query', () => {
    expect(found(search('fix'))).toBe('fix typos');
    expect(found(search('👍'))).toBe('日本 👍');
  });

  test('skips repeated texts, older and newer', () => {
    const older = searchOlder(search('fix'));
    expect(found(older)).toBe('Fix the tests');
    expect(found(searchNewer(older))).toBe('fix typos');
  });

  test('matches case only if the query has capitals', () => {
    expect(found(search('Fix'))).toBe('Fix the tests');
  });

  test('keeps the entry while the query grows and returns to the newest when it shrinks', () => {
    const older = searchOlder(search('fi'));
    expect(found(extendQuery(prompts, older, 'x'))).toBe('Fix the tests');
    expect(found(shortenQuery(prompts, older))).toBe('fix typos');
    expect(shortenQuery(prompts, search('👍')).query).toBe('');
  });

  test('reports a failed search and keeps the last match', () => {
    const failed = extendQuery(prompts, search('fix'), 'zz');
    expect(failed.isFailed).toBe(true);
    expect(found(failed)).toBe('fix typos');
    expect(searchOlder(searchOlder(search('fix'))).isFailed).toBe(true);
  });

  test('puts the match into the composer and keeps the draft as the newest entry', () => {
    const draft = draftFrom('my draft');
    const accepted = acceptSearch(prompts, search('docs'), draft);
    expect(accepted.draft.text).toBe('write docs');
    let at: HistoryStep = accepted;
    for (let down = 0; down < 4; down += 1) at = step(newerEntry, at);
    expect(at.draft).toEqual(draft);
  });

  test('puts a match into the composer as it was sent, not as it was edited', () => {
    const third = step(olderEntry, typed('my draft'));
    const query = extendQuery(third.history, startSearch(), 'thi');
    const accepted = acceptSearch(third.history, query, draftFrom(''));
    expect(accepted.draft.text).toBe('third');
    expect(step(newerEntry, accepted).draft.text).toBe('my draft');
  });

  test('keeps the draft if nothing matched', () => {
    const draft = draftFrom('my draft');
    expect(acceptSearch(prompts, search('nowhere'), draft).draft).toBe(draft);
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
