import { expect, test } from 'vitest';
import { Admission } from '../../../../src/batch/admission.ts';
import { emptyTally } from '../../../../src/batch/tally.ts';
import type { ReportOptions, SendingRun } from '../../../../src/commands/batch/plan.ts';
import { showProgress } from '../../../../src/commands/batch/report/progress.ts';
import { present } from '../../../../src/run.ts';
import { readSettings } from '../../../../src/settings/read-settings.ts';
import {
  createMemoryContext,
  createMemoryDevice,
  createMemoryOutput,
} from '../../../support/memory-context.ts';
import { jsonLines } from '../../../support/natter.ts';

const environment = { TERM: 'xterm-256color', NATTER_PROGRESS: 'on', NATTER_WINDOW_TITLE: 'on' };
const common = { color: 'never', input: true } as const;

/** What standard error gets in `milliseconds` of a run with one of four items answered. */
async function shownBy(
  changes: Partial<SendingRun>,
  options: ReportOptions = {},
  milliseconds = 2000,
) {
  const { context: made, clock } = createMemoryContext({ environment });
  const stderr = createMemoryOutput(true);
  const streams = { ...made.streams, stderr };
  const context = { ...made, streams, device: createMemoryDevice().device };
  const presentation = await present(context, common);
  const settings = readSettings(context, presentation.notices, common);
  const admission = new Admission({
    clock: context.clock,
    most: 1,
    rateLimits: { requests: undefined, tokens: undefined },
    retries: 0,
    maxWait: 0,
    stop: context.signal,
    estimate: () => ({ prompt: 0, answer: 0 }),
    onPause: () => undefined,
  });
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

test('the title of a worker has the items that are left in the queue', async () => {
  const left = () => 1200;
  expect(await titlesOf({ command: 'natter batch work', left })).toEqual([
    '1,200 left - natter batch work',
  ]);
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
