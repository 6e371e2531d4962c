import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { frameOf } from '../../support/app.tsx';
import { listedConversation, listOf } from '../../support/conversation-lists.ts';
import { expectForAll, fc } from '../../support/properties.ts';
import { stateOf } from '../../support/repl-state.ts';

const rows = [
  listedConversation({ id: 'tttt2222', title: 'Green tea', hours: 3 }),
  listedConversation({ id: 'cccc3333', title: 'Coffee', model: 'nextgen', hours: 30 }),
  listedConversation({
    id: 'rrrr4444',
    title: 'Mornings',
    firstWords: 'tea or coffee?',
    isOpenElsewhere: true,
    hours: 24 * 30,
  }),
];
const preview = {
  id: 'tttt2222',
  turns: [
    { speaker: 'You', text: 'which tea is green?' },
    { speaker: 'origin', text: 'Sencha.\n\nGunpowder.' },
  ],
};

function draw(list = listOf(rows), columns = 80, height = 24) {
  const state = stateOf({ list, columns, rows: height });
  const conversation = { ...state.conversation, id: 'cccc3333' };
  return frameOf({ ...state, conversation });
}

test('a pinned conversation has a mark, also the open one', () => {
  const pinned = rows.map((row) => ({ ...row, marks: ['pinned'] }));
  const frame = draw(listOf(pinned));
  expect(frame.rows.slice(1, 3).map((row) => row.slice(0, 26).trimEnd())).toEqual([
    '› [pinned] Green tea',
    '  [pinned] [this] Coffee',
  ]);
});

test('the list has title, first words, model and age, and a preview of the selected one', () => {
  const frame = draw(listOf(rows, { preview }));
  expect(frame.rows.map((row) => row.trimEnd())).toEqual([
    `filter: ${' '.repeat(65)}1 of 3`,
    '› Green tea                                                origin   3 hours ago',
    '  [this] Coffee                                            nextgen  1 day ago',
    '  [open] Mornings  tea or coffee?                          origin   2026-10-21',
    '─'.repeat(79),
    'You: which tea is green?',
    'origin: Sencha.',
    'Gunpowder.',
    'Enter opens · Tab searches the texts · Up and Down select · Esc returns',
  ]);
  expect(frame.caret).toEqual({ row: 0, column: 8 });
});

test('a narrow window has no model, but the key that searches the texts', () => {
  const [, first, second] = draw(listOf(rows), 40).rows;
  expect(first).toBe('› Green tea                 3 hours ago');
  expect(second).toMatch(/^ {2}\[this\] Coffee +1 day ago *$/);
  expect(draw(listOf(rows), 40).rows.at(-1)).toBe('Tab searches the texts · Esc returns');
});

test('an excerpt is shown beside a shortened title', () => {
  const long = listedConversation({ title: 'a title that takes much more than half of the row' });
  const list = listOf([long], { searchesTexts: true, query: 'milk', excerpts: ['tea with milk'] });
  expect(draw(list).rows[1]).toMatch(/^› a title that takes much m…  tea with milk +origin/);
});

test('a search shows how far it is', () => {
  const list = listOf(rows, {
    searchesTexts: true,
    query: 'milk',
    excerpts: [undefined],
    isReading: true,
  });
  expect(draw(list).rows.slice(0, 2)).toEqual([
    expect.stringMatching(/^search: milk +searched 1 of 3$/),
    '  searching',
  ]);
});

test('the selected conversation is visible', () => {
  const many = Array.from({ length: 100 }, (_, index) =>
    listedConversation({ id: `m${index}`, title: `about ${index}` }),
  );
  for (const selected of [0, 5, 50, 99]) {
    const shown = draw(listOf(many, { selected })).rows.join('\n');
    expect(shown).toMatch(new RegExp(`^› about ${selected} `, 'm'));
  }
});

test('the end of a long filter is visible, and the caret is at it', () => {
  const frame = draw(listOf(rows, { query: `${'茶'.repeat(60)} end` }), 40);
  expect(frame.rows[0]).toMatch(/茶 end/);
  expect(frame.caret?.column).toBeLessThan(40);
});

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('\u001B[2J\n茶'));
const conversations = fc
  .array(fc.record({ title: text, firstWords: text, model: text, isOpenElsewhere: fc.boolean() }), {
    maxLength: 20,
  })
  .map((all) => all.map((facts, index) => listedConversation({ ...facts, id: `row${index}` })));
const turns = fc.array(fc.record({ speaker: text, text }), { maxLength: 4 });

test('any list fits in any window, without control characters', () => {
  expectForAll(
    conversations,
    turns,
    text,
    fc.integer({ min: 3, max: 120 }),
    fc.integer({ min: 1, max: 40 }),
    (listed, shown, query, columns, height) => {
      const list = listOf(listed, { query, preview: { id: 'row0', turns: shown } });
      const frame = draw(list, columns, height);
      expect(frame.rows.length).toBeLessThan(Math.max(2, height));
      expect(frame.caret?.column).toBeLessThan(columns);
      for (const row of frame.rows) {
        // oxlint-disable-next-line no-control-regex -- looks for control characters
        expect(row).not.toMatch(/[\x00-\x1F\x7F-\x9F]/);
        expect(displayWidth(row)).toBeLessThan(Math.max(2, columns));
      }
    },
  );
});
