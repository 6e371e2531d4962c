import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Admission } from '../../../../src/batch/admission.ts';
import { emptyTally, type Tally } from '../../../../src/batch/tally.ts';
import type { SendingRun } from '../../../../src/commands/batch/plan.ts';
import {
  batchOutcome,
  batchProgress,
  shortTime,
  showProgress,
} from '../../../../src/commands/batch/report/progress.ts';
import { Failure, type FailureKind } from '../../../../src/failure.ts';
import { present } from '../../../../src/run.ts';
import { readSettings } from '../../../../src/settings/read-settings.ts';
import {
  createMemoryContext,
  createMemoryDevice,
  createMemoryOutput,
} from '../../../support/memory-context.ts';
import { jsonLines } from '../../../support/natter.ts';

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

const allowing = (places: number | undefined, perSecond: number | undefined) => ({
  allowed: { places, perSecond },
});
// The example of the guide.
const [, example = ''] =
  /```text.*\n(480 .*)\n```/.exec(readFileSync('docs/batch.md', 'utf8')) ?? [];

test.each<readonly [Partial<Figures>, object, string]>([
  [{ answered: 3 }, {}, '3 of 1,000'],
  [{ total: undefined, answered: 3 }, {}, '3 done'],
  [
    { answered: 190, failed: 10, already: 100, tokens: 12_345, elapsed: 10_000 },
    {},
    '300 of 1,000 · 10 failed · 20/s · 35 s left · 12,345 tokens',
  ],
  [{ answered: 950, elapsed: 100_000 }, {}, '950 of 1,000 · 9.5/s · 6 s left'],
  [{ answered: 30, elapsed: 60_000 }, {}, '30 of 1,000 · 30.0/min · 32 min left'],
  [{ answered: 1 }, { waiting: 4200 }, '1 of 1,000 · rate limit, 5 s'],
  [{ answered: 480, elapsed: 10_000 }, allowing(undefined, 50.2), example],
  [{ answered: 2 }, allowing(undefined, 0.5), '2 of 1,000 · 30.0/min allowed'],
  [
    { answered: 480, elapsed: 10_000 },
    allowing(16, undefined),
    '480 of 1,000 · 48/s · 16 at once allowed · 11 s left',
  ],
  [{ answered: 1 }, { isStopping: true }, '1 of 1,000 · stopping'],
])('the progress line of %j and %j: %s', (part, state, text) => {
  const { elapsed, ...tally } = { ...figures, ...part };
  const { waiting, allowed, isStopping } = { ...going, ...state };
  const admission = { pauseRemaining: () => waiting, found: () => allowed } as Admission;
  expect(batchProgress(tally, elapsed, admission, isStopping)).toBe(text);
});

const causeOf = (kind: FailureKind, count: number) => {
  const item = { index: 1, line: 1, id: undefined };
  return [kind, { count, item, failure: new Failure(kind, '') }] as const;
};

test.each<readonly [Partial<Figures>, string]>([
  [{ answered: 1000, tokens: 5 }, '1,000 of 1,000 items answered in 0.5 s, 5 tokens'],
  [{ total: 1, answered: 1 }, '1 of 1 item answered in 0.5 s'],
  [{ answered: 400, already: 600 }, '1,000 of 1,000 items answered (600 before) in 0.5 s'],
  [
    { answered: 997, failed: 3, causes: new Map([causeOf('usage', 1), causeOf('incomplete', 2)]) },
    '997 of 1,000 items answered in 0.5 s; 3 failed: 2 incomplete, 1 usage',
  ],
])('the outcome of %j is: %s', (part, text) => {
  const { elapsed, ...tally } = { ...figures, ...part };
  expect(batchOutcome(tally, elapsed)).toBe(text);
});

const environment = { TERM: 'xterm-256color', NATTER_PROGRESS: 'on', NATTER_WINDOW_TITLE: 'on' };
const common = { color: 'never', input: true } as const;

/** What standard error gets in `milliseconds` of a run with one of four items answered. */
async function shownBy(
  changes: Partial<SendingRun>,
  options: Partial<SendingRun['options']> = {},
  milliseconds = 2000,
) {
  const { context: made, clock } = createMemoryContext({ environment });
  const stderr = createMemoryOutput(true);
  const streams = { ...made.streams, stderr };
  const context = { ...made, streams, device: createMemoryDevice().device };
  const presentation = await present(context, common);
  const settings = readSettings(context, presentation.notices, common);
  const admission = { pauseRemaining: () => 0, found: () => going.allowed } as Admission;
  const tally = { ...emptyTally(), total: 4, answered: 1, tokens: 90, attempts: 2 };
  const run = { context, presentation, settings, tally, options: { ...common, ...options } };
  const shown = { ...run, command: 'natter batch', ...changes } as SendingRun;
  const progress = showProgress(shown, admission, context.signal);
  await clock.advance(milliseconds);
  progress.end();
  await clock.advance(milliseconds);
  return stderr.text();
}

async function titlesOf(...run: Parameters<typeof shownBy>) {
  const text = await shownBy(...run);
  return [...text.matchAll(/\u001B\]2;([^\u0007]*)\u0007/g)].map(([, title]) => title);
}

test('the title has the share of the items, and the command', async () => {
  expect(await titlesOf({})).toEqual(['25% - natter batch']);
});

test('the title and the line of a worker have the items that are left in the queue', async () => {
  const tally = { ...emptyTally(), queued: 1200 };
  const run = { command: 'natter batch work', tally };
  expect(await titlesOf(run)).toEqual(['1,200 left - natter batch work']);
  expect(await shownBy(run)).toContain(' · 1,200 left in the queue');
});

test('the title stays with --quiet', async () => {
  expect(await titlesOf({}, { quiet: true })).toEqual([]);
});

test('--progress-json prints a line every ten seconds, until the run ends', async () => {
  const text = await shownBy({}, { progressJson: true, quiet: true }, 20_000);
  expect(jsonLines(text)).toMatchObject([
    { type: 'progress', elapsed_ms: 10_000, paused_ms: 0 },
    {
      type: 'progress',
      elapsed_ms: 20_000,
      items: { total: 4, answered_before: 0, answered: 1, failed: 0, left: 3 },
      rate: 0.05,
      attempts: 2,
      tokens: { total: 90 },
      eta_seconds: 60,
    },
  ]);
});
