import { expect, test } from 'vitest';
import { firstRunDialog } from '../../../src/repl/connection.ts';
import { matchesOf, onListOpened, settle } from '../../../src/repl/conversation-list/list.ts';
import { copyDialog } from '../../../src/repl/conversations/conversations.ts';
import type { ListRow, OpenList, ReplState } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import { runInApp } from '../../support/app.tsx';
import {
  effectsOf,
  enter,
  escape,
  interrupt,
  pasted,
  play,
  pressed,
  run,
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

const opening = (state: ReplState) => onListOpened(state, listOf(three));

const down = pressed('down');
const tab = pressed('tab');

test('/resume alone opens the list, and typed keys wait for it', () => {
  const asked = play(stateOf(), '/resume', enter, 'tea');
  expect(effectsOf(asked.effects, 'open-list')).toHaveLength(1);
  const { state, text } = play(asked.state, opening);
  expect(state).toMatchObject({ activity: undefined, typeAhead: undefined });
  expect(shown(state)).toEqual(['Green tea', 'Mornings']);
  expect(text).toBe('');
});

test('keys typed while a list fails to open are typed into the composer', () => {
  const asked = run(stateOf(), typed('/resume'), enter, typed('tea'));
  const [task] = asked.tasks.slice(-1);
  if (task === undefined) throw new Error('the list was not requested');
  const failure = { kind: 'not_found', message: 'there is no conversation yet' } as const;
  const { printed, text } = play(asked.state, taskFailed(task, failure));
  expect([printed, text]).toEqual([['there is no conversation yet'], 'tea']);
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

test('a pasted filter has no line ends, and an endless one is cut', () => {
  const { state } = play(listing(), pasted('green\r\ntea'));
  expect(state.list?.query).toBe('green tea');
  expect(play(state, pasted('x'.repeat(9999))).state.list?.query).toHaveLength(200);
});

test.each([
  ['Backspace', pressed('backspace'), 'green 茶'],
  ['Ctrl+W', pressed('w', { ctrl: true }), 'green '],
  ['Ctrl+U', pressed('u', { ctrl: true }), ''],
])('%s shortens the filter', (_name, key, query) => {
  expect(play(listing(), 'green 茶🍵', key).state.list?.query).toBe(query);
});

test('Enter opens the selected conversation, once', () => {
  const { state, effects } = play(listing(), down, enter, enter);
  expect(effectsOf(effects, 'resume')).toMatchObject([{ name: 'cccc3333' }]);
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
  expect(effectsOf(runInApp(asked, enter).effects, 'resume')).toEqual([
    { type: 'resume', name: 'rrrr4444', ...options, isBranch: true },
  ]);
});

test.each([
  ['Esc', escape],
  ['Ctrl+C', interrupt],
  ['Ctrl+G', pressed('g', { ctrl: true })],
])('%s returns to the composer with its draft', (_key, key) => {
  const before = play(stateOf(), 'a draft').state;
  const { state, text } = play({ ...before, list: listOf(three) }, 'tea', key);
  expect([state.list, text, state.hasQuit]).toEqual([undefined, 'a draft', false]);
});

test('Ctrl+D quits only with an empty filter', () => {
  const quitKey = pressed('d', { ctrl: true });
  expect(play(listing(), 't', quitKey).state.hasQuit).toBe(false);
  expect(play(listing(), quitKey).state.hasQuit).toBe(true);
});

test('the queue waits until the list is closed', () => {
  const waiting = play(stateOf(), '/resume', enter).state;
  const draft = { text: 'hello', cursor: 5, pastes: new Map() };
  const opened = play({ ...waiting, typeAhead: undefined, queue: [draft] }, opening);
  expect(opened.sent).toEqual([]);
  expect(play(opened.state, escape).sent).toEqual(['hello']);
});

test('the selection stays within the matches', () => {
  const selectedAfter = (...keys: Parameters<typeof play>[1][]) =>
    play(listing(), down, down, down, down, ...keys).state.list?.selected;
  expect(selectedAfter()).toBe(2);
  expect(selectedAfter(pressed('up'))).toBe(1);
  expect(selectedAfter(pressed('home'), pressed('end'))).toBe(2);
  expect(selectedAfter(pressed('pageup'))).toBe(0);
  expect(selectedAfter(pressed('home'))).toBe(0);
  expect(selectedAfter('coffee')).toBe(0);
});

test('Tab searches the texts, and Tab again filters', () => {
  const searching = play(listing(), tab, 'milk');
  expect(effectsOf(searching.effects, 'read-list')).toHaveLength(1);
  expect(shown(searching.state)).toEqual([]);
  const excerpts = [undefined, 'with milk', undefined];
  const { list = listOf(three) } = searching.state;
  const { state } = settle(searching.state, { ...list, excerpts, isReading: false });
  expect(shown(state)).toEqual(['Coffee']);
  expect(play(state, tab).state.list).toMatchObject({ searchesTexts: false, query: 'milk' });
});
