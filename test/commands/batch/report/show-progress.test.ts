import { expect, test } from 'vitest';
import { emptyTally } from '../../../../src/batch/tally.ts';
import {
  showProgress,
  type ShownRun,
} from '../../../../src/commands/batch/report/show-progress.ts';
import { createAdmission } from '../../../../src/commands/batch/sending/admission.ts';
import { present } from '../../../../src/run.ts';
import { readSettings } from '../../../../src/settings/read-settings.ts';
import { createMemoryContext, createMemoryOutput } from '../../../support/memory-context.ts';
import { createMemoryDevice } from '../../../support/memory-device.ts';

const environment = { TERM: 'xterm-256color', NATTER_PROGRESS: 'on', NATTER_WINDOW_TITLE: 'on' };
const options = { color: 'never', input: true } as const;

async function titlesOf(changes: Pick<ShownRun, 'command' | 'left'>, quiet = false) {
  const { context: made, clock } = createMemoryContext({ environment });
  const stderr = createMemoryOutput(true);
  const streams = { ...made.streams, stderr };
  const context = { ...made, streams, device: createMemoryDevice().device };
  const presentation = await present(context, options);
  const settings = readSettings(context, presentation.notices, options);
  const admission = createAdmission({
    clock: context.clock,
    concurrency: 1,
    rateLimits: { requests: undefined, tokens: undefined },
    retries: 0,
    maxWait: 0,
    stop: context.signal,
    estimate: () => ({ prompt: 0, answer: 0 }),
    onPause: () => undefined,
  });
  const tally = { ...emptyTally(), total: 4, answered: 1 };
  const run = {
    context,
    presentation,
    settings,
    tally,
    options: { ...options, quiet },
    ...changes,
  };
  const progress = showProgress(run, admission.places, context.signal);
  await clock.advance(2000);
  progress.end();
  return [...stderr.text().matchAll(/\u001B\]2;([^\u0007]*)\u0007/g)].map(([, title]) => title);
}

test('the title has the share of the items, and the command', async () => {
  expect(await titlesOf({ command: 'natter batch' })).toEqual(['25% - natter batch']);
});

test('the title of a worker has the items that are left in the queue', async () => {
  const left = () => 1200;
  expect(await titlesOf({ command: 'natter batch work', left })).toEqual([
    '1,200 left - natter batch work',
  ]);
});

test('the title stays with --quiet', async () => {
  expect(await titlesOf({ command: 'natter batch' }, true)).toEqual([]);
});
