import { expect, test } from 'vitest';
import { firstRunDialog } from '../../../src/repl/connection.ts';
import { matchesOf, onListOpened, settle } from '../../../src/repl/conversation-list/list.ts';
import { copyDialog } from '../../../src/repl/conversations/conversations.ts';
import type { OpenList, ReplState, Update } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import { runInApp } from '../../support/app.tsx';
import {
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  pasted,
  pressed,
  printed,
  run,
  stateOf,
  taskEnded,
  taskFailed,
  typed,
} from '../../support/repl-state.ts';
import { listedConversation, listOf } from '../../support/conversation-lists.ts';

const tea = listedConversation({ id: 'tttt2222', title: 'Green tea', hours: 1 });
const coffee = listedConversation({ id: 'cccc3333', title: 'Coffee', model: 'nextgen', hours: 2 });
const renamed = listedConversation({
  id: 'rrrr4444',
  title: 'Mornings',
  firstWords: 'tea or coffee?',
  hours: 3,
});
const three = [tea, coffee, renamed];

const stateWith = (list: OpenList, changes: Partial<ReplState> = {}) =>
  stateOf({ list, ...changes });

const shown = ({ list }: ReplState) =>
  list === undefined ? [] : matchesOf(list).map(({ row }) => row.title);

const opening = (list: OpenList) => (state: ReplState) => onListOpened(state, list);
/** What the task of reading makes of the open list. */
const read =
  (part: Partial<OpenList>) =>
  (state: ReplState): Update => {
    if (state.list === undefined) throw new Error('no list is open');
    return settle(state, { ...state.list, ...part, isReading: false });
  };

const down = pressed('down');
const tab = pressed('tab');

test('/resume alone opens the list, and typed keys wait for it', () => {
  const asked = run(stateOf(), typed('/resume'), enter, typed('tea'));
  expect(effectsOf(asked.effects, 'open-list')).toHaveLength(1);
  const { state } = run(asked.state, opening(listOf(three)));
  expect(state).toMatchObject({ activity: undefined, typeAhead: undefined });
  expect(shown(state)).toEqual(['Green tea', 'Mornings']);
  expect(composed(state)).toBe('');
});

test('keys typed while a list fails to open are typed into the composer', () => {
  const asked = run(stateOf(), typed('/resume'), enter, typed('tea'));
  const task = asked.tasks.at(-1);
  if (task === undefined) throw new Error('the list was not requested');
  const failure = { kind: 'not_found', message: 'there is no conversation yet' } as const;
  const failed = run(asked.state, taskFailed(task, failure));
  expect(printed(failed.effects)).toEqual(['there is no conversation yet']);
  expect(composed(failed.state)).toBe('tea');
});

test('typing filters by every word of title, first words, model and id', () => {
  const list = stateWith(listOf(three));
  expect(shown(run(list, typed('cof')).state)).toEqual(['Coffee', 'Mornings']);
  expect(shown(run(list, typed('COFFEE nextgen')).state)).toEqual(['Coffee']);
  expect(shown(run(list, typed('rrrr')).state)).toEqual(['Mornings']);
  expect(shown(run(list, typed('milk')).state)).toEqual([]);
});

test('N12: of the conversations without an answer, the newest is listed, and a filter finds all', () => {
  const unanswered = ['Failed again', 'Failed'].map((title, index) =>
    listedConversation({ id: `ffff${index}`, title, model: undefined, hours: index }),
  );
  const list = stateWith(listOf([...unanswered, tea]));
  expect(shown(list)).toEqual(['Failed again', 'Green tea']);
  expect(shown(run(list, typed('failed')).state)).toEqual(['Failed again', 'Failed']);
});

test('a pasted filter has no line ends, and an endless one is cut', () => {
  const { state } = run(stateWith(listOf(three)), pasted('green\r\ntea'));
  expect(state.list?.query).toBe('green tea');
  expect(run(state, pasted('x'.repeat(9999))).state.list?.query).toHaveLength(200);
});

test('Backspace, Ctrl+W and Ctrl+U shorten the filter', () => {
  const { state } = run(stateWith(listOf(three)), typed('green 茶🍵'));
  const query = (...keys: readonly string[]) =>
    run(state, ...keys.map((key) => pressed(key, { ctrl: key.length === 1 }))).state.list?.query;
  expect(query('backspace')).toBe('green 茶');
  expect(query('w')).toBe('green ');
  expect(query('u')).toBe('');
});

test('Enter opens the selected conversation', () => {
  const { state, effects } = run(stateWith(listOf(three)), down, enter);
  expect(effectsOf(effects, 'resume')).toMatchObject([{ name: 'cccc3333' }]);
  expect(state.activity).toMatchObject({ name: 'opening a conversation' });
  expect(effectsOf(run(state, enter).effects, 'resume')).toEqual([]);
});

test('a list of the start opens a conversation as at the start', () => {
  const options = { isFirst: true, isBranch: true };
  const { effects } = run(stateWith(listOf(three, { options })), enter);
  expect(effectsOf(effects, 'resume')).toMatchObject([{ name: 'tttt2222', ...options }]);
});

test('a conversation that is open in another natter leads back to the list, or is copied', () => {
  const options = { isFirst: true };
  const list = listOf(three, { options, dialog: firstRunDialog });
  const asking = (state: ReplState) => {
    const dialog = copyDialog(state, 'it is open', { name: 'rrrr4444', ...options });
    return step({ ...state, dialog });
  };
  const chosen = run(stateWith(list), typed('tea'), down, enter);
  const asked = run(chosen.state, asking, taskEnded).state;
  expect(runInApp(asked).rows.join('\n')).toContain('Esc goes back');
  for (const back of [escape, typed('2'), interrupt]) {
    const { state } = runInApp(asked, back);
    expect(state).toMatchObject({ dialog: undefined, list: { query: 'tea', selected: 1 } });
    expect(run(state, escape).state.dialog).toBe(firstRunDialog);
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
  const before = run(stateOf(), typed('a draft')).state;
  const { state } = run({ ...before, list: listOf(three) }, typed('tea'), key);
  expect(state.list).toBeUndefined();
  expect(composed(state)).toBe('a draft');
  expect(state.hasQuit).toBe(false);
});

test('Ctrl+D quits only with an empty filter', () => {
  const quitKey = pressed('d', { ctrl: true });
  expect(run(stateWith(listOf(three)), typed('t'), quitKey).state.hasQuit).toBe(false);
  expect(run(stateWith(listOf(three)), quitKey).state.hasQuit).toBe(true);
});

test('the queue waits until the list is closed', () => {
  const waiting = run(stateOf(), typed('/resume'), enter, typed('hello')).state;
  const draft = { text: 'hello', cursor: 5, pastes: new Map() };
  const opened = run({ ...waiting, typeAhead: undefined, queue: [draft] }, opening(listOf(three)));
  expect(effectsOf(opened.effects, 'send')).toEqual([]);
  expect(effectsOf(run(opened.state, escape).effects, 'send')).toHaveLength(1);
});

test('the selection stays within the matches', () => {
  const last = run(stateWith(listOf(three)), down, down, down, down).state;
  expect(last.list?.selected).toBe(2);
  expect(run(last, pressed('up')).state.list?.selected).toBe(1);
  expect(run(last, pressed('home'), pressed('end')).state.list?.selected).toBe(2);
  expect(run(last, pressed('pageup')).state.list?.selected).toBe(0);
  expect(run(last, pressed('home')).state.list?.selected).toBe(0);
  expect(run(last, typed('coffee')).state.list?.selected).toBe(0);
});

test('a pinned conversation without an answer is listed beside the newest one', () => {
  const unanswered = [[], ['pinned'], []].map((marks, index) =>
    listedConversation({ id: `ffff${index}`, title: `failed ${index}`, model: undefined, marks }),
  );
  expect(shown(stateWith(listOf(unanswered)))).toEqual(['failed 0', 'failed 1']);
});

test('Tab searches the texts, and Tab again filters', () => {
  const searching = run(stateWith(listOf(three)), tab, typed('milk'));
  expect(effectsOf(searching.effects, 'read-list')).toHaveLength(1);
  expect(shown(searching.state)).toEqual([]);
  const { state } = run(searching.state, read({ excerpts: [undefined, 'with milk', undefined] }));
  expect(shown(state)).toEqual(['Coffee']);
  expect(run(state, tab).state.list).toMatchObject({ searchesTexts: false, query: 'milk' });
});
