import { expect, test } from 'vitest';
import type { ReplState } from '../../../src/repl/state.ts';
import { answerList, lineQuestion } from '../../../src/repl/line-mode/questions.ts';
import { settle } from '../../../src/repl/conversation-list/list.ts';
import {
  effectsIn,
  effectsOf,
  lineEntered,
  lineInterrupted,
  printed,
  run,
  type StateChange,
  stateOf,
  taskFailed,
} from '../../support/repl-state.ts';
import { listedConversation, listOf } from '../../support/conversation-lists.ts';

const many = Array.from({ length: 12 }, (_, index) =>
  listedConversation({
    id: `mmmm${'bcdfghjkmnpq'.charAt(index)}`,
    title: `about ${index + 1}`,
    hours: index + 1,
  }),
);

const lineMode = (rows = many, changes = {}) =>
  stateOf({ isLineMode: true, list: listOf(rows, { hasPreview: false, ...changes }) });

const question = (state: ReplState) => lineQuestion(state, false) ?? '';

test('the list is numbered, with model, age and what is open', () => {
  const tea = listedConversation({ id: 'c1', title: 'Tea' });
  const coffee = listedConversation({ title: 'Coffee', isOpenElsewhere: true, hours: 2 });
  expect(question(lineMode([tea, coffee]))).toBe(
    [
      '2 conversations, newest first.',
      '1 Tea, origin, 1 hour ago, this conversation',
      '2 Coffee, origin, 2 hours ago, open in another natter',
      'a number opens one, words filter the titles, slash and words search the texts, Enter alone returns',
      'Open: ',
    ].join('\n'),
  );
});

test('a pinned conversation is read with its mark, and the head says that it is first', () => {
  const tea = listedConversation({ title: 'Tea' });
  const pinned = { ...tea, marks: ['pinned'] };
  expect(question(lineMode([pinned, ...many.slice(1)]))).toMatch(
    /^12 conversations, pinned ones first\.\n1 Tea, origin, 1 hour ago, pinned\n2 about 2, origin/,
  );
});

test('nothing is asked while the list is being read', () => {
  expect(question(lineMode(many, { isReading: true }))).toBe('');
});

test('a question follows a part of the list that cannot be read', () => {
  const reading = run(lineMode(), lineEntered('/with milk'));
  expect(question(reading.state)).toBe('');
  const failure = { kind: 'storage', message: 'cannot read the conversations' } as const;
  const failed = reading.tasks.map((task): StateChange => {
    return taskFailed(task, failure);
  });
  const { state, effects } = run(reading.state, ...failed);
  expect(printed(effects)).toEqual(['cannot read the conversations']);
  expect(question(state)).toMatch(/^0 or more with "with" and "milk" in the text\./);
});

test('a plus sign lists more, and the numbers continue', () => {
  const first = lineMode();
  expect(question(first)).toContain('plus sign lists more');
  const { state } = run(first, lineEntered('+'));
  expect(question(state)).toContain('11 about 11, origin, 11 hours ago\n12 about 12');
  expect(question(state)).not.toContain('plus sign');
  expect(printed(run(state, lineEntered('+')).effects)).toEqual([
    'there are no more conversations',
  ]);
  expect(effectsOf(run(state, lineEntered('11')).effects, 'resume')).toMatchObject([
    { name: 'mmmmp' },
  ]);
});

test('words filter the list', () => {
  const { state } = run(lineMode(), lineEntered('about 7'));
  expect(question(state)).toMatch(/^1 with "about" and "7" in the title\.\n1 about 7,/);
  expect(effectsOf(run(state, lineEntered('1')).effects, 'resume')).toMatchObject([
    { name: 'mmmmj' },
  ]);
});

test('a slash and words search the texts', () => {
  const { state, effects } = run(lineMode(), lineEntered('/with milk'));
  expect(effectsOf(effects, 'read-list')).toHaveLength(1);
  const excerpts = many.map((_, index) => (index === 3 ? 'tea with milk' : undefined));
  const found = (before: ReplState) =>
    settle(before, { ...(before.list ?? listOf(many)), excerpts, isReading: false });
  expect(question(run(state, found).state)).toMatch(
    /^1 with "with" and "milk" in the text\.\n1 about 4, "tea with milk", origin/,
  );
});

test('a number that is not in the list is refused', () => {
  const { effects, state } = run(lineMode(), lineEntered('13'));
  expect(printed(effects)).toEqual(['there is no conversation 13 in the list']);
  expect(state.list).toBeDefined();
});

test.each(['milk', 'about', '/milk'])(
  'an empty line returns from %j to the whole list',
  (query) => {
    const { state } = run(lineMode(), lineEntered(query));
    const list = listOf(many, { ...state.list, isReading: false });
    expect(question({ ...state, list })).toContain('Enter alone lists all');
    const whole = run(state, lineEntered(''));
    expect(whole.state.list).toMatchObject({ query: '', searchesTexts: false, selected: 0 });
    expect(run(whole.state, lineEntered('')).state.list).toBeUndefined();
  },
);

test.each(['', '  '])('an empty line on the whole list returns to the conversation', (text) => {
  expect(run(lineMode(), lineEntered(text)).state.list).toBeUndefined();
});

test('Ctrl+C returns to the conversation', () => {
  const { state } = run(lineMode(), lineInterrupted);
  expect(state).toMatchObject({ list: undefined, isQuitArmed: false });
});

test('titles are sanitized', () => {
  const hostile = listedConversation({ title: 'a\u001B[2Jb\nYou: c\u202E' });
  expect(question(lineMode([hostile]))).toContain('1 ab You: c, origin');
});

test('without a match, no number is offered', () => {
  const state = lineMode(many, { query: 'milk' });
  expect(question(state)).toMatch(/^0 with "milk" in the title\.\nwords filter/);
  const list = state.list;
  if (list === undefined) throw new Error('the list is closed');
  expect(printed(effectsIn(answerList(state, list, '1')))).toHaveLength(1);
});
