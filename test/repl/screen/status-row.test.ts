import { describe, expect, test } from 'vitest';
import { statusRow, type Status } from '../../../src/repl/screen/status-row.ts';
import { appearanceOf, type Look } from '../../support/appearance.ts';

/** The row after the spinner. */
function row(status: Status, look?: Look): string {
  const shown = statusRow(status, appearanceOf(look), 0);
  expect(shown.charAt(0)).toBe(look?.unicode === false ? '|' : '⠋');
  return shown.slice(2);
}

const retrying: Status = {
  phase: 'retrying',
  model: 'origin',
  cause: 'the service answered 503',
  secondsLeft: 4,
  retry: 2,
  retries: 5,
  canHurry: true,
};

describe('the status line', () => {
  test.each<[string, Status, string]>([
    ['waiting', { phase: 'waiting', model: 'origin', seconds: 0 }, 'origin · waiting · Esc stops'],
    [
      'waiting for over a minute',
      { phase: 'waiting', model: 'origin', seconds: 75 },
      'origin · waiting 1 min 15 s · Esc stops',
    ],
    [
      'streaming, with rounded tokens',
      { phase: 'streaming', model: 'origin', seconds: 12, tokens: 1340, isEstimate: true },
      'origin · 12 s · ~1,350 tokens · Esc stops',
    ],
    [
      'the first tokens, which are never none',
      { phase: 'streaming', model: 'origin', seconds: 1, tokens: 0.4, isEstimate: true },
      'origin · 1 s · ~1 token · Esc stops',
    ],
    [
      'Y18: an answer that stalls',
      { phase: 'streaming', model: 'origin', seconds: 45, tokens: 1340, stalled: 12 },
      'origin · 45 s · nothing for 12 s · 1,340 tokens · Esc stops and keeps the text',
    ],
    [
      'retrying',
      retrying,
      'the service answered 503 · retry 2 of 5 in 4 s · Enter retries now · Esc gives up',
    ],
    [
      'retrying while a draft is typed, which Enter would queue',
      { ...retrying, canHurry: false },
      'the service answered 503 · retry 2 of 5 in 4 s · Esc gives up',
    ],
    [
      'retrying now',
      { ...retrying, secondsLeft: 0 },
      'the service answered 503 · retry 2 of 5 now · Esc gives up',
    ],
    [
      'working',
      { phase: 'working', task: 'listing models', seconds: 2 },
      'listing models · 2 s · Esc stops',
    ],
    ['stopping', { phase: 'stopping' }, 'stopping'],
  ])('%s', (_, status, text) => {
    expect(row(status, { columns: 100 })).toBe(text);
  });

  test('is empty while natter is idle', () => {
    expect(statusRow({ phase: 'idle' }, appearanceOf(), 0)).toBe('');
  });

  test.each([
    [60, 'the service answe… · retry 2 of 5 in 4 s · Enter retries now'],
    [50, 'the service answered 5… · retry in 4 s · Enter now'],
    [38, 'the servic… · retry in 4 s · Enter now'],
    [32, 'retry in 4 s · Enter retries now'],
    [20, 'retry in 4 s'],
  ])('keeps the countdown and a key in %i columns, and shortens the cause', (columns, text) => {
    expect(row(retrying, { columns: columns + 2 })).toBe(text);
  });

  test('keeps the key for a retry if a useful part of a long cause fits', () => {
    const cause = 'rate limited by the service (429)';
    expect(row({ ...retrying, cause }, { columns: 72 })).toBe(
      'rate limited by the service… · retry 2 of 5 in 4 s · Enter retries now',
    );
  });

  test.each([
    [50, 'nothing for 12 s · Esc stops and keeps the text'],
    [40, 'origin · nothing for 12 s · Esc stops'],
  ])('Y18: keeps the stall time and the stop hint in %i columns', (columns, text) => {
    const status: Status = {
      phase: 'streaming',
      model: 'origin',
      seconds: 45,
      tokens: 1340,
      stalled: 12,
    };
    expect(row(status, { columns: columns + 2 })).toBe(text);
  });

  test('shortens a task before it leaves out its stop hint', () => {
    const task = 'running npm run build -- --watch';
    expect(row({ phase: 'working', task, seconds: 2 }, { columns: 40 })).toBe(
      'running npm run bui… · 2 s · Esc stops',
    );
  });

  test('shortens a long name before it leaves out the stop hint', () => {
    expect(row({ phase: 'waiting', model: 'localhost:8443', seconds: 3 }, { columns: 40 })).toBe(
      'localhost:8… · waiting 3 s · Esc stops',
    );
  });

  test('is ASCII on a terminal without Unicode', () => {
    expect(row(retrying, { unicode: false })).toMatch(/^[\x20-\x7E]+$/);
  });

  test('has a spinner that turns every tenth of a second', () => {
    const frames = [0, 99, 100, 950, 1000].map((now) =>
      statusRow(retrying, appearanceOf(), now).charAt(0),
    );
    expect(frames).toEqual(['⠋', '⠋', '⠙', '⠏', '⠋']);
  });

  test('is dim except for the key and the spinner', () => {
    expect(
      statusRow(
        { phase: 'waiting', model: 'origin', seconds: 0 },
        appearanceOf({ colored: true }),
        0,
      ),
    ).toBe(
      '\u001B[36m⠋ \u001B[39m\u001B[2morigin · waiting · \u001B[22m\u001B[1mEsc\u001B[22m\u001B[2m stops\u001B[22m',
    );
  });
});

test('the hint of a stop names its keys', () => {
  const status = { phase: 'waiting', model: 'origin', seconds: 1 } as const;
  expect(statusRow(status, appearanceOf(), 0, { stopKeys: 'Esc Esc' })).toContain('Esc Esc stops');
  const keys = { stopKeys: 'F4', sendKey: 'Ctrl+X' };
  expect(statusRow(retrying, appearanceOf({ columns: 100 }), 0, keys)).toContain(
    'Ctrl+X retries now · F4 gives up',
  );
});
