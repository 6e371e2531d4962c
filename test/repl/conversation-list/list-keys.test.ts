import { expect, test } from 'vitest';
import { firstRunDialog } from '../../../src/repl/connection.ts';
import {
  matchesOf,
  readConversations,
  settle,
  readList,
} from '../../../src/repl/conversation-list/list.ts';
import { copyDialog, resume } from '../../../src/repl/conversations/conversations.ts';
import type { ListRow, OpenList, ReplState } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import { runInApp } from '../../support/app.tsx';
import { createMemoryContext } from '../../support/memory-context.ts';
import {
  changeOf,
  effectsOf,
  enter,
  escape,
  interrupt,
  pasted,
  play,
  pressed,
  type StateChange,
  stateOf,
  taskEnded,
  taskFailed,
  typed,
} from '../../support/repl-state.ts';
import { listedConversation, listOf } from '../../support/conversation-lists.ts';

const three = [
  listedConversation({ id: 'tttt2222', title: 'Green tea' }),
  listedConversation({ id: 'cccc3333', title: 'Coffee', model: 'nextgen' }),
  listedConversation({ id: 'rrrr4444', title: 'Mornings', firstWords: 'tea or coffee?' }),
];

/** A state in which these conversations are listed. */
const listing = (rows: readonly ListRow[] = three, changes: Partial<OpenList> = {}) =>
  stateOf({ list: listOf(rows, changes) });

const shown = ({ list }: ReplState) =>
  list === undefined ? [] : matchesOf(list).map(({ row }) => row.title);

const opening = await changeOf(
  readConversations,
  {},
  { library: { read: async () => three }, context: createMemoryContext().context },
);

const down = pressed('down');
const tab = pressed('tab');
const quitKey = pressed('d', { ctrl: true });

test('/resume alone opens the list, and typed keys wait for it', () => {
  const asked = play(stateOf(), '/resume', enter, 'tea');
  const { state, text } = play(asked.state, opening);
  expect(state).toMatchObject({ activity: undefined, typeAhead: undefined });
  expect([shown(state), text]).toEqual([['Green tea', 'Mornings'], '']);
  const { activity } = asked.state;
  if (activity?.type !== 'task') throw new Error('the list was not requested');
  // If it fails, they are for the composer.
  const failure = { kind: 'not_found', message: 'there is no conversation yet' } as const;
  const failed = play(asked.state, taskFailed(activity.task, failure));
  expect([failed.printed, failed.text]).toEqual([['there is no conversation yet'], 'tea']);
});

test.each([
  ['cof', ['Coffee', 'Mornings']],
  ['COFFEE nextgen', ['Coffee']],
  ['rrrr', ['Mornings']],
  ['milk', []],
])('typing %s filters by every word of title, first words, model and id', (text, titles) => {
  expect(shown(play(listing(), text).state)).toEqual(titles);
});

test('N12: of the conversations without an answer, the newest and pinned ones are listed, and a filter finds all', () => {
  const unanswered = [[], [], ['pinned']].map((marks, index) =>
    listedConversation({ id: `ffff${index}`, title: `failed ${index}`, model: undefined, marks }),
  );
  const list = listing([...unanswered, ...three.slice(0, 1)]);
  expect(shown(list)).toEqual(['failed 0', 'failed 2', 'Green tea']);
  expect(shown(play(list, 'failed').state)).toHaveLength(3);
});

const longest = 'x'.repeat(200);

test.each<[string, readonly (string | StateChange)[], object]>([
  ['a pasted filter has no line ends', [pasted('green\r\ntea')], { query: 'green tea' }],
  ['an endless filter is cut', [pasted('x'.repeat(9999))], { query: longest }],
  ['Backspace shortens it', ['green 茶🍵', pressed('backspace')], { query: 'green 茶' }],
  ['Ctrl+W shortens it', ['green 茶', pressed('w', { ctrl: true })], { query: 'green ' }],
  ['Ctrl+U clears it', ['green 茶', pressed('u', { ctrl: true })], { query: '' }],
  ['the selection stays within the matches', [down, down, down, down], { selected: 2 }],
  ['Up selects the one before', [down, down, pressed('up')], { selected: 1 }],
  ['Home selects the first', [down, pressed('home')], { selected: 0 }],
  ['End selects the last', [pressed('end')], { selected: 2 }],
  ['Page Up selects the one a page before', [down, down, pressed('pageup')], { selected: 0 }],
  ['a filter selects the first', [down, down, 'coffee'], { selected: 0 }],
])('%s', (_what, keys, list) => {
  expect(play(listing(), ...keys).state.list).toMatchObject(list);
});

test('Enter opens the selected conversation, once', () => {
  const { state, effects } = play(listing(), down, enter, enter);
  expect(effectsOf(effects, resume)).toMatchObject([{ name: 'cccc3333' }]);
  expect(state.activity).toMatchObject({ name: 'opening a conversation' });
});

test('a conversation that is open in another natter leads back to the list, or is copied', () => {
  const options = { isFirst: true };
  const asking = (state: ReplState) => {
    const dialog = copyDialog(state, 'it is open', { name: 'rrrr4444', ...options });
    return step({ ...state, dialog });
  };
  const list = listing(three, { options, dialog: firstRunDialog });
  const asked = play(list, 'tea', down, enter, asking, taskEnded).state;
  expect(runInApp(asked).rows.join('\n')).toContain('Esc goes back');
  for (const back of [escape, typed('2'), interrupt]) {
    const { state } = runInApp(asked, back);
    expect(state).toMatchObject({ dialog: undefined, list: { query: 'tea', selected: 1 } });
    expect(play(state, escape).state.dialog).toBe(firstRunDialog);
  }
  expect(effectsOf(runInApp(asked, enter).effects, resume)).toEqual([
    { type: 'resume', name: 'rrrr4444', ...options, isBranch: true },
  ]);
});

test.each([
  ['Esc', escape],
  ['Ctrl+C', interrupt],
  ['Ctrl+G', pressed('g', { ctrl: true })],
])('%s returns to the composer with its draft, and Ctrl+D quits without a filter', (_key, key) => {
  const before = play(stateOf(), 'a draft').state;
  const { state, text } = play({ ...before, list: listOf(three) }, 'tea', quitKey, key);
  expect([state.list, text, state.hasQuit]).toEqual([undefined, 'a draft', false]);
  expect(play(listing(), quitKey).state.hasQuit).toBe(true);
});

test('the queue waits until the list is closed', () => {
  const waiting = play(stateOf(), '/resume', enter).state;
  const draft = { text: 'hello', cursor: 5, pastes: new Map() };
  const opened = play({ ...waiting, typeAhead: undefined, queue: [draft] }, opening);
  expect(opened.sent).toEqual([]);
  expect(play(opened.state, escape).sent).toEqual(['hello']);
});

test('Tab searches the texts, and Tab again filters', () => {
  const searching = play(listing(), tab, 'milk');
  expect(effectsOf(searching.effects, readList)).toHaveLength(1);
  expect(shown(searching.state)).toEqual([]);
  const excerpts = [undefined, 'with milk', undefined];
  const { list = listOf(three) } = searching.state;
  const { state } = settle(searching.state, { ...list, excerpts, isReading: false });
  expect(shown(state)).toEqual(['Coffee']);
  expect(play(state, tab).state.list).toMatchObject({ searchesTexts: false, query: 'milk' });
});
