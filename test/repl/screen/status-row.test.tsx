import { describe, expect, test } from 'vitest';
import { createBuffer } from '../../../src/repl/composer/text-buffer.ts';
import { ownKeyMap } from '../../../src/repl/composer/keys/key-bindings.ts';
import { StatusRow } from '../../../src/repl/screen/App.tsx';
import type { AnswerActivity, ReplState } from '../../../src/repl/state.ts';
import { drawn, type Look } from '../../support/app.tsx';
import { chatEvent, run, stateOf, waitingAnswer } from '../../support/repl-state.ts';

/** After some seconds. */
const waiting = (seconds: number, changes: Partial<AnswerActivity> = {}): Partial<ReplState> => ({
  activity: { ...waitingAnswer, ...changes },
  now: seconds * 1000,
});

const streaming = (seconds: number, tokens: number, stalled = 0) =>
  waiting(seconds, { phase: 'streaming', tokens, lastAt: (seconds - stalled) * 1000 });

const retrying = (left = 4, cause = 'the service answered 503') =>
  waiting(10, {
    phase: 'retrying',
    retry: { cause, retry: 2, retries: 5, at: 10_000 + left * 1000 },
  });

function working(name: string): Partial<ReplState> {
  const task = { run: () => undefined, input: undefined };
  const activity = { type: 'task', name, task, since: 0, isStopping: false } as const;
  return { activity: { ...activity, dialog: undefined }, now: 2000 };
}

const shown = (changes: Partial<ReplState>, look: Look = {}) =>
  drawn(<StatusRow />, stateOf(changes), look)[0] ?? '';

/** The row after the spinner. */
function row(changes: Partial<ReplState>, look: Look = {}): string {
  const text = shown(changes, look);
  expect(text.charAt(0)).toBe(look.unicode === false ? '|' : '⠋');
  return text.slice(2);
}

describe('the status row', () => {
  test.each<[string, Partial<ReplState>, string]>([
    ['waiting', waiting(0), 'origin · waiting · Esc stops'],
    ['waiting for over a minute', waiting(75), 'origin · waiting 1 min 15 s · Esc stops'],
    [
      'streaming, with rounded tokens',
      streaming(12, 1340),
      'origin · 12 s · ~1,350 tokens · Esc stops',
    ],
    [
      'the first tokens, which are never none',
      streaming(1, 0.4),
      'origin · 1 s · ~1 token · Esc stops',
    ],
    [
      'Y18: an answer that stalls',
      streaming(45, 1340, 12),
      'origin · 45 s · nothing for 12 s · ~1,350 tokens · Esc stops and keeps the text',
    ],
    [
      'retrying',
      retrying(),
      'the service answered 503 · retry 2 of 5 in 4 s · Enter retries now · Esc gives up',
    ],
    [
      'retrying while a draft is typed, which Enter would queue',
      { ...retrying(), composer: createBuffer('x') },
      'the service answered 503 · retry 2 of 5 in 4 s · Esc gives up',
    ],
    ['retrying now', retrying(-3), 'the service answered 503 · retry 2 of 5 now · Esc gives up'],
    ['working', working('listing models'), 'listing models · 2 s · Esc stops'],
    ['stopping', waiting(1, { isStopping: true }), 'stopping'],
  ])('%s', (_, changes, text) => {
    expect(row(changes, { columns: 100 })).toBe(text);
  });

  test.each([
    [60, 'the service answe… · retry 2 of 5 in 4 s · Enter retries now'],
    [50, 'the service answered 5… · retry in 4 s · Enter now'],
    [38, 'the servic… · retry in 4 s · Enter now'],
    [32, 'retry in 4 s · Enter now'],
    [20, 'retry in 4 s'],
  ])('keeps the countdown and a key in %i columns, and shortens the cause', (columns, text) => {
    expect(row(retrying(), { columns: columns + 2 })).toBe(text);
  });

  test.each([
    [50, 'nothing for 12 s · Esc stops and keeps the text'],
    [40, 'origin · nothing for 12 s · Esc stops'],
  ])('Y18: keeps the stall time and the stop hint in %i columns', (columns, text) => {
    expect(row(streaming(45, 1340, 12), { columns: columns + 2 })).toBe(text);
  });

  test('shortens a task before it leaves out its stop hint', () => {
    expect(row(working('running npm run build -- --watch'), { columns: 40 })).toBe(
      'running npm run bui… · 2 s · Esc stops',
    );
  });

  test('has a spinner that turns every tenth of a second', () => {
    const frames = [0, 99, 100, 950, 1000].map((now) => shown(retrying(), { now }).charAt(0));
    expect(frames).toEqual(['⠋', '⠋', '⠙', '⠏', '⠋']);
  });

  test('is dim except for the key and the spinner', () => {
    expect(shown(waiting(0), { colored: true })).toBe(
      '\u001B[36m⠋ \u001B[39m\u001B[2morigin · waiting · \u001B[22m\u001B[1mEsc\u001B[22m\u001B[2m stops\u001B[22m',
    );
  });

  test('T4 shows model ids and causes on one safe line', () => {
    expect(row(waiting(0, { model: 'a\u001B[2Jb\nc' }))).toBe('ab c · waiting · Esc stops');
  });

  test('names keys of the user', () => {
    const keyMap = ownKeyMap({ stop: 'f4', send: 'ctrl+x' }, 'default');
    expect(row({ ...retrying(), keyMap }, { columns: 100 })).toContain(
      'Ctrl+X retries now · F4 gives up',
    );
  });

  test('Y18: a stall ends with the next text', () => {
    const text = { type: 'text-received', text: 'half', deltas: ['half'] } as const;
    const { state } = run(stateOf(streaming(32, 10, 12)), chatEvent(text, 33_000));
    expect(row(state)).not.toContain('nothing for');
  });
});
