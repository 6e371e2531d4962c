import { expect, test } from 'vitest';
import { createBuffer, draftFrom } from '../../../src/repl/composer/text-buffer.ts';
import { composerOf } from '../../../src/repl/screen/Composer.tsx';
import { noticeOf } from '../../../src/repl/screen/notice.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { runInApp } from '../../support/app.tsx';
import {
  enter,
  interrupt,
  pasted,
  pressed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

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

test('P22 the composer shows a label for a long paste', () => {
  const { state } = run(stateOf(), pasted('line\n'.repeat(9)));
  expect(composerOf(state, undefined).rows).toEqual(['[paste #1, 9 lines]']);
});

test('during a history search, the composer shows the match', () => {
  const sent = run(stateOf(), typed('tea'), enter).state;
  const search = pressed('r', { ctrl: true });
  const rowsOf = (...keys: readonly ReturnType<typeof typed>[]) =>
    runInApp({ ...sent, activity: undefined }, search, ...keys).rows;
  expect(rowsOf(typed('te'))).toEqual(expect.arrayContaining(['› tea', 'history: te']));
  expect(rowsOf(typed('te'), search)).toContain('no other match: te');
  expect(rowsOf(typed('te'), search, typed('x'))).toContain('not in the history: tex');
});

test('Ctrl+C on an empty composer shows that pressing it again quits', () => {
  expect(noticeOf(run(stateOf(), interrupt).state)).toBe('press Ctrl+C again to quit');
});
