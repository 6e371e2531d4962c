import { describe, expect, test } from 'vitest';
import { createBuffer, draftFrom } from '../../../src/repl/composer/text-buffer.ts';
import { keyDialog, promptDialog } from '../../../src/repl/dialog.ts';
import { composerOf, searchOf } from '../../../src/repl/screen/Composer.tsx';
import { dialogOf } from '../../../src/repl/screen/DialogBox.tsx';
import { footerOf } from '../../../src/repl/screen/footer-row.ts';
import { noticeOf } from '../../../src/repl/screen/notice.ts';
import { statusOf } from '../../../src/repl/screen/status-row.ts';
import type { AnswerActivity, ReplState } from '../../../src/repl/state.ts';
import {
  enter,
  interrupt,
  pasted,
  pressed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const answer: AnswerActivity = {
  type: 'answer',
  phase: 'waiting',
  model: 'origin',
  since: 1000,
  lastAt: 0,
  tokens: 0,
  undecided: '',
  isStopping: false,
  draft: undefined,
  files: [],
};
const statusAt = (activity: AnswerActivity, now: number) => statusOf(stateOf({ activity, now }));

const drafts = [draftFrom('a'), draftFrom('b')];
const request = { kind: 'path', from: 0, to: 1, typed: '@' } as const;
const partial = { request, candidates: [], selected: 0, isPartial: true };

test.each<[string, Partial<ReplState>]>([
  ['a new version', { branch: { parent: undefined, reason: 'edit' } }],
  ['stashed drafts', { stash: drafts }],
  ['stashed drafts', { stash: drafts, composer: createBuffer('now') }],
  ['a paused queue', { queue: drafts, isQueuePaused: true }],
  ['a paused queue', { queue: drafts, isQueuePaused: true, composer: createBuffer('now') }],
  ['a dropped file', { composer: createBuffer('@a'), recognised: '@a' }],
  ['a large folder', { completion: partial }],
])('the notice about %s fits into 40 columns', (_, parts) => {
  const notice = noticeOf(stateOf(parts)) ?? '';
  expect(notice.length).toBeGreaterThan(0);
  expect(notice.length).toBeLessThan(40);
});

describe('the status', () => {
  test('counts the seconds of an answer', () => {
    expect(statusAt(answer, 3500)).toEqual({ phase: 'waiting', model: 'origin', seconds: 2 });
  });

  test('counts down to a retry, and not below zero', () => {
    const retry = { cause: 'it is busy', retry: 1, retries: 4, at: 5000 };
    const retrying: AnswerActivity = { ...answer, phase: 'retrying', retry };
    expect(statusAt(retrying, 3500)).toMatchObject({ secondsLeft: 2, cause: 'it is busy' });
    expect(statusAt(retrying, 9000)).toMatchObject({ secondsLeft: 0 });
  });

  test('Y18: shows how long a started answer has stalled', () => {
    const text = { type: 'text-received', text: 'half', deltas: ['half'] } as const;
    const at = (now: number) => ({ type: 'ticked', now }) as const;
    const begun = run(
      stateOf(),
      typed('one'),
      enter,
      { type: 'chat-event', event: text, now: 20_000 },
      at(24_000),
    ).state;
    expect(statusOf(begun)).toMatchObject({
      phase: 'streaming',
      stalled: undefined,
    });
    const stalled = run(begun, at(32_500)).state;
    expect(statusOf(stalled)).toMatchObject({ seconds: 32, stalled: 12 });
    const { state } = run(stalled, { type: 'chat-event', event: text, now: 33_000 });
    expect(statusOf(state)).toMatchObject({ stalled: undefined });
  });

  test('T4 shows model ids and causes on one safe line', () => {
    const hostile: AnswerActivity = { ...answer, model: 'a\u001B[2Jb\nc' };
    expect(statusAt(hostile, 1000)).toMatchObject({ model: 'ab c' });
  });

  test('shows that an answer is being stopped', () => {
    expect(statusAt({ ...answer, isStopping: true }, 1000)).toEqual({ phase: 'stopping' });
  });
});

test('P22 the composer shows a label for a long paste', () => {
  const { state } = run(stateOf(), pasted('line\n'.repeat(9)));
  expect(composerOf(state).rows).toEqual(['[paste #1, 9 lines]']);
});

test('during a history search, the composer shows the match', () => {
  const sent = run(stateOf(), typed('tea'), enter).state;
  const { state } = run(
    { ...sent, activity: undefined },
    pressed('r', { ctrl: true }),
    typed('te'),
  );
  expect(composerOf(state).rows).toEqual(['tea']);
  expect(searchOf(state)).toMatchObject({ query: 'te', found: true, isMatching: true });
  const older = run(state, pressed('r', { ctrl: true }));
  const longer = run(older.state, typed('x'));
  expect(searchOf(older.state)).toMatchObject({ found: false, isMatching: true });
  expect(searchOf(longer.state)).toMatchObject({ found: false, isMatching: false });
});

test('the selected one of many choices is in sight', () => {
  const choices = Array.from({ length: 30 }, (_, index) => `tea ${index + 1}`);
  const variable = { name: 'drink', choices };
  const prompt = { name: 'order', variables: [variable] };
  const pending = { prompt, values: {}, text: '', line: '/order', missing: [variable] };
  const dialog = promptDialog(pending);
  const viewOf = (...keys: readonly ReturnType<typeof pressed>[]) =>
    dialogOf(run(stateOf({ dialog, rows: 9 }), ...keys).state);
  const labels = (...numbers: readonly number[]) =>
    numbers.map((number) => ({ label: `${number} tea ${number}` }));
  expect(viewOf()).toMatchObject({ options: labels(1, 2, 3, 4, 5), selected: 0 });
  expect(viewOf(pressed('up'))).toMatchObject({ options: labels(26, 27, 28, 29, 30), selected: 4 });
});

test('a hidden entry shows one asterisk for each character', () => {
  const { state } = run(stateOf({ dialog: keyDialog('https://api.example.com') }), typed('kéy'));
  expect(dialogOf(state)).toMatchObject({
    kind: 'entry',
    text: '***',
    caretColumn: 3,
  });
});

test('Ctrl+C on an empty composer shows that pressing it again quits', () => {
  expect(noticeOf(run(stateOf(), interrupt).state)).toBe('press Ctrl+C again to quit');
});

test('T4 a title is shown without its escape sequences', () => {
  const { conversation } = stateOf();
  const state = stateOf({ conversation: { ...conversation, title: 'a\u001B]0;x\u0007b' } });
  expect(footerOf(state).conversation).toBe('ab');
});
