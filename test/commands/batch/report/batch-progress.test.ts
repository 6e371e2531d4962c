import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { emptyTally, type Tally } from '../../../../src/batch/tally.ts';
import {
  batchOutcome,
  batchProgress,
  shortTime,
} from '../../../../src/commands/batch/report/progress.ts';
import type { FailureKind } from '../../../../src/failure.ts';

type Figures = Tally & { readonly elapsed: number };
const figures: Figures = { ...emptyTally(), total: 1000, elapsed: 500 };
const going = {
  waiting: 0,
  isStopping: false,
  allowed: { places: undefined, perSecond: undefined },
};

test.each([
  [0, '0.0 s'],
  [9_940, '9.9 s'],
  [45_000, '45 s'],
  [180_000, '3 min'],
  [7_500_000, '2 h 5 min'],
])('%d ms are %s', (milliseconds, text) => {
  expect(shortTime(milliseconds)).toBe(text);
});

describe('the progress line', () => {
  test.each<readonly [string, Partial<Figures>, object, string]>([
    ['at first', { answered: 3 }, {}, '3 of 1,000'],
    ['without a known total', { total: undefined, answered: 3 }, {}, '3 done'],
    [
      'later',
      { answered: 190, failed: 10, already: 100, tokens: 12_345, elapsed: 10_000 },
      {},
      '300 of 1,000 · 10 failed · 20/s · 35 s left · 12,345 tokens',
    ],
    ['near its end', { answered: 950, elapsed: 100_000 }, {}, '950 of 1,000 · 9.5/s · 6 s left'],
    [
      'when it is slow',
      { answered: 30, elapsed: 60_000 },
      {},
      '30 of 1,000 · 30.0/min · 32 min left',
    ],
    [
      'while the service wants a pause',
      { answered: 1 },
      { waiting: 4200 },
      '1 of 1,000 · rate limit, 5 s',
    ],
    [
      'with the rate that the service allows',
      { answered: 480, elapsed: 10_000 },
      { allowed: { places: undefined, perSecond: 50.2 } },
      // The example of the guide.
      /```text.*\n(480 .*)\n```/.exec(readFileSync('docs/batch.md', 'utf8'))?.[1] ?? '',
    ],
    [
      'with a rate that was just found',
      { answered: 2 },
      { allowed: { places: undefined, perSecond: 0.5 } },
      '2 of 1,000 · 30.0/min allowed',
    ],
    [
      'with the requests at once that the service allows',
      { answered: 480, elapsed: 10_000 },
      { allowed: { places: 16, perSecond: undefined } },
      '480 of 1,000 · 48/s · 16 at once allowed · 11 s left',
    ],
    ['when it stops', { answered: 1 }, { isStopping: true }, '1 of 1,000 · stopping'],
  ])('%s', (_, part, state, text) => {
    const { elapsed, ...tally } = { ...figures, ...part };
    expect(batchProgress(tally, elapsed, { ...going, ...state })).toBe(text);
  });
});

describe('the outcome', () => {
  test.each<readonly [string, Partial<Figures>, string]>([
    [
      'of a whole run',
      { answered: 1000, tokens: 5 },
      '1,000 of 1,000 items answered in 0.5 s, 5 tokens',
    ],
    ['of one item', { total: 1, answered: 1 }, '1 of 1 item answered in 0.5 s'],
    [
      'of a run that went on',
      { answered: 400, already: 600 },
      '1,000 of 1,000 items answered (600 before) in 0.5 s',
    ],
    [
      'with failures, the most frequent cause first',
      {
        answered: 997,
        failed: 3,
        causes: new Map<FailureKind, number>([
          ['usage', 1],
          ['incomplete', 2],
        ]),
      },
      '997 of 1,000 items answered in 0.5 s; 3 failed: 2 incomplete, 1 usage',
    ],
  ])('%s', (_, part, text) => {
    const { elapsed, ...tally } = { ...figures, ...part };
    expect(batchOutcome(tally, elapsed)).toBe(text);
  });
});
