import { expect, test } from 'vitest';
import { resume } from '../../../src/repl/conversations/conversations.ts';
import { settle, readList } from '../../../src/repl/conversation-list/list.ts';
import { lineQuestion } from '../../../src/repl/line-mode/questions.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { listedConversation, listOf } from '../../support/conversation-lists.ts';
import {
  effectsOf,
  lineEntered,
  lineInterrupted,
  play,
  printed,
  run,
  stateOf,
  taskFailed,
} from '../../support/repl-state.ts';

const many = Array.from({ length: 12 }, (_, index) =>
  listedConversation({
    id: `mmmm${'bcdfghjkmnpq'.charAt(index)}`,
    title: `about ${index + 1}`,
    hours: index + 1,
  }),
);

const lineMode = (rows = many, changes = {}) =>
  stateOf({ isLineMode: true, list: listOf(rows, changes) });

const question = (state: ReplState) => lineQuestion(state, false) ?? '';
const enterLines = (state: ReplState, ...lines: readonly string[]) =>
  play(state, ...lines.map((line) => lineEntered(line)));

test('the list is numbered, with model, age and what is open; titles are sanitized', () => {
  const tea = listedConversation({ id: 'c1', title: 'Tea' });
  const hostile = 'a\u001B[2Jb\nYou: c\u202E';
  const coffee = listedConversation({ title: hostile, isOpenElsewhere: true, hours: 2 });
  expect(question(lineMode([tea, coffee]))).toBe(
    [
      '2 conversations, newest first.',
      '1 Tea, origin, 1 hour ago, this conversation',
      '2 ab You: c, origin, 2 hours ago, open in another natter',
      'a number opens one, words filter the titles, slash and words search the texts, Enter alone returns',
      'Open: ',
    ].join('\n'),
  );
});

test('a pinned conversation is read with its mark, and the head says that it is first', () => {
  const pinned = { ...listedConversation({ title: 'Tea' }), marks: ['pinned'] };
  expect(question(lineMode([pinned, ...many.slice(1)]))).toMatch(
    /^12 conversations, pinned ones first\.\n1 Tea, origin, 1 hour ago, pinned\n2 about 2, origin/,
  );
});

test('a question follows a part of the list that cannot be read', () => {
  const reading = run(lineMode(), lineEntered('/with milk'));
  expect(question(reading.state)).toBe('');
  const failure = { kind: 'storage', message: 'cannot read the conversations' } as const;
  const failed = reading.tasks.map((task) => taskFailed(task, failure));
  const { state, effects } = run(reading.state, ...failed);
  expect(printed(effects)).toEqual(['cannot read the conversations']);
  expect(question(state)).toMatch(/^0 or more with "with" and "milk" in the text\./);
});

test('a plus sign lists more, and the numbers continue', () => {
  expect(question(lineMode())).toContain('plus sign lists more');
  const { state } = enterLines(lineMode(), '+');
  expect(question(state)).toContain('11 about 11, origin, 11 hours ago\n12 about 12');
  expect(question(state)).not.toContain('plus sign');
  expect(enterLines(state, '+').printed).toEqual(['there are no more conversations']);
});

test.each([
  ['a number', ['11'], 'mmmmp'],
  ['a number after a filter', ['about 7', '1'], 'mmmmj'],
])('%s opens a conversation', (_, lines, name) => {
  expect(effectsOf(enterLines(lineMode(), ...lines).effects, resume)).toMatchObject([{ name }]);
});

test('a number that is not in the list is refused', () => {
  const { state, printed: said } = enterLines(lineMode(), '13');
  expect(said).toEqual(['there is no conversation 13 in the list']);
  expect(state.list).toBeDefined();
});

test('words filter the list; without a match, no number is offered', () => {
  const asked = (line: string) => question(enterLines(lineMode(), line).state);
  expect(asked('about 7')).toMatch(/^1 with "about" and "7" in the title\.\n1 about 7,/);
  expect(asked('milk')).toMatch(/^0 with "milk" in the title\.\nwords filter/);
});

test('a slash and words search the texts', () => {
  const { state, effects } = enterLines(lineMode(), '/with milk');
  expect(effectsOf(effects, readList)).toHaveLength(1);
  const excerpts = many.map((_, index) => (index === 3 ? 'tea with milk' : undefined));
  const found = (before: ReplState) =>
    settle(before, { ...(before.list ?? listOf(many)), excerpts, isReading: false });
  expect(question(run(state, found).state)).toMatch(
    /^1 with "with" and "milk" in the text\.\n1 about 4, "tea with milk", origin/,
  );
});

test.each(['milk', 'about', '/milk'])(
  'an empty line returns from %j to the whole list, and from there to the conversation',
  (query) => {
    const { state } = enterLines(lineMode(), query);
    const list = listOf(many, { ...state.list, isReading: false });
    expect(question({ ...state, list })).toContain('Enter alone lists all');
    const whole = enterLines(state, '  ');
    expect(whole.state.list).toMatchObject({ query: '', searchesTexts: false, selected: 0 });
    expect(enterLines(whole.state, '').state.list).toBeUndefined();
  },
);

test('Ctrl+C returns to the conversation', () => {
  const { state } = run(lineMode(), lineInterrupted);
  expect([state.list, state.armed]).toEqual([undefined, undefined]);
});
