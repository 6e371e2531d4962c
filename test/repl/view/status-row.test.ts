import { describe, expect, test } from 'vitest';
import { statusRow } from '../../../src/repl/view/status-row.ts';
import type { Status } from '../../../src/repl/view/view-model.ts';
import { appearanceOf } from '../../support/view-models.ts';

const retrying: Status = {
  phase: 'retrying',
  model: 'origin',
  cause: 'the service answered 503',
  secondsLeft: 4,
  retry: 2,
  retries: 5,
};

describe('the status line', () => {
  test.each<[string, Status, string]>([
    [
      'waiting',
      { phase: 'waiting', model: 'origin', seconds: 0 },
      'waiting for origin · Esc stops',
    ],
    [
      'waiting for over a minute',
      { phase: 'waiting', model: 'origin', seconds: 75 },
      'waiting for origin · 1 min 15 s · Esc stops',
    ],
    [
      'streaming, with rounded tokens',
      { phase: 'streaming', model: 'origin', seconds: 12, tokens: 1340, isEstimate: true },
      'origin · 12 s · ~1,350 tokens · Esc stops',
    ],
    [
      'Y18: an answer that stalls',
      { phase: 'streaming', model: 'origin', seconds: 45, tokens: 1340, stalled: 12 },
      'origin · 45 s · no data for 12 s · 1,340 tokens · Esc stops',
    ],
    ['retrying', retrying, 'the service answered 503 · retry 2 of 5 in 4 s · Esc stops'],
    [
      'retrying now',
      { ...retrying, secondsLeft: 0 },
      'the service answered 503 · retry 2 of 5 now · Esc stops',
    ],
    [
      'working',
      { phase: 'working', task: 'listing models', seconds: 2 },
      'listing models · 2 s · Esc stops',
    ],
    ['stopping', { phase: 'stopping' }, 'stopping'],
  ])('%s', (_, status, text) => {
    expect(statusRow(status, appearanceOf())).toBe(text);
  });

  test('is empty while natter is idle', () => {
    expect(statusRow({ phase: 'idle' }, appearanceOf())).toBe('');
  });

  test.each([
    [50, 'the service answered 503 · retry 2 of 5 in 4 s'],
    [40, 'the service answe… · retry 2 of 5 in 4 s'],
    [31, 'retry 2 of 5 in 4 s · Esc stops'],
    [20, 'retry 2 of 5 in 4 s'],
  ])('keeps the countdown in %i columns, and shortens the cause', (columns, text) => {
    expect(statusRow(retrying, appearanceOf({ columns }))).toBe(text);
  });

  test('keeps the stop hint if a useful part of a long cause fits', () => {
    const cause = 'rate limited by the service (429)';
    expect(statusRow({ ...retrying, cause }, appearanceOf({ columns: 70 }))).toBe(
      'rate limited by the service (429) · retry 2 of 5 in 4 s · Esc stops',
    );
  });

  test('Y18: keeps the stall time and the stop hint in 40 columns', () => {
    const status: Status = {
      phase: 'streaming',
      model: 'origin',
      seconds: 45,
      tokens: 1340,
      stalled: 12,
    };
    expect(statusRow(status, appearanceOf({ columns: 40 }))).toBe(
      'origin · no data for 12 s · Esc stops',
    );
  });

  test('is ASCII on a terminal without Unicode', () => {
    expect(statusRow(retrying, appearanceOf({ unicode: false }))).toMatch(/^[\x20-\x7E]+$/);
  });
});
