import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countFailure, emptyTally, type Tally } from '../../../../src/batch/tally.ts';
import {
  reportEnd,
  type Ending,
  endingOf,
  fileTexts,
  latencyFigures,
  latencyText,
} from '../../../../src/commands/batch/report/ending.ts';
import type { Stopping } from '../../../../src/commands/batch/stopping.ts';
import type { SendingRun, TalliedRun } from '../../../../src/commands/batch/plan.ts';
import { Failure } from '../../../../src/failure.ts';
import { createNotices } from '../../../../src/output/notices.ts';
import { Interruption } from '../../../../src/terminal/device/signals.ts';
import { plainStyle } from '../../../../src/terminal/style.ts';
import { displayWidth } from '../../../../src/terminal/text/width.ts';
import { seededRandom } from '../../../conversation/journal-fixtures.ts';
import { folderOf } from '../../../support/folder.ts';
import { createMemoryContext } from '../../../support/memory-context.ts';

type RunOptions = Partial<TalliedRun['options']>;

const names = { input: 'p.txt', output: 'out.jsonl', shard: '2/8' };
const begin = new Date('2026-11-20T12:00:00Z');
const answered: Ending = {
  elapsed: 2000,
  stoppedBy: null,
  left: 4,
  notice: 'all answered',
  error: undefined,
};

/** A run with 12 answers of 50 to 600 ms and two failures. */
function runWith(options: RunOptions, terminals: readonly 'stderr'[] = []) {
  const memory = createMemoryContext({ terminals, columns: 60 });
  const { context } = memory;
  const tally = { ...emptyTally(), total: 20, already: 2, answered: 12, tokens: 90, attempts: 15 };
  for (let index = 1; index <= 12; index += 1) tally.latency.add(index * 50);
  const item = { index: 3, line: 4, id: 'q3' };
  countFailure(tally, new Failure('rate_limited', 'rate limited'), item);
  countFailure(tally, new Failure('rate_limited', 'rate limited again'), { ...item, index: 7 });
  const notices = createNotices(context.streams.stderr, options.quiet === true, (text) => text);
  const presentation = { notices, noticeStyle: plainStyle, unicode: true };
  const run = { context, presentation, options, tally } as TalliedRun;
  return { ...memory, run };
}

describe('--summary', () => {
  /** The summary of a run that this error ended. */
  const summaryOf = (error: Error, stoppedBy: string) => {
    const summary = join(folderOf(), 'summary.json');
    const { run } = runWith({ summary });
    run.tally.costs.set('USD', 0.25);
    const ending = { ...answered, notice: undefined, stoppedBy, error };
    expect(() => reportEnd(run, begin, names, ending)).toThrow(error);
    return JSON.parse(readFileSync(summary, 'utf8')) as object;
  };

  test('has the counts, causes, times and the exit code', () => {
    expect(summaryOf(new Failure('unfinished', 'two failed'), 'SIGTERM')).toMatchObject({
      type: 'summary',
      begin: '2026-11-20T12:00:00.000Z',
      shard: '2/8',
      exit_code: 75,
      exit_name: 'unfinished',
      message: 'two failed',
      stopped_by: 'SIGTERM',
      cost: { USD: 0.25 },
      causes: [{ kind: 'rate_limited', count: 2, line: 4, id: 'q3', example: 'rate limited' }],
      latency_ms: { count: 12, min: 50, max: 600, mean: 325, p99: 600 },
      first_text_ms: null,
    });
  });

  test('has the exit code of a signal', () => {
    const end = { exit_code: 130, exit_name: 'SIGINT' };
    expect(summaryOf(new Interruption('SIGINT'), 'SIGINT')).toMatchObject(end);
  });

  test('replaces an older one, and leaves no other file', () => {
    const place = folderOf();
    const { run } = runWith({ summary: join(place, 's.json') });
    reportEnd(run, begin, names, answered);
    reportEnd(run, begin, { ...names, input: 'new.txt' }, answered);
    expect(readdirSync(place)).toEqual(['s.json']);
    expect(readFileSync(join(place, 's.json'), 'utf8')).toContain('new.txt');
  });

  test('that cannot be written is a failure, and a warning beside a different failure', () => {
    const { run, stderr } = runWith({ summary: join(folderOf(), 'missing', 's.json') });
    const storage = expect.objectContaining({ kind: 'storage' }) as Failure;
    expect(() => reportEnd(run, begin, names, answered)).toThrow(storage);
    const error = new Failure('unauthorized', 'wrong key');
    expect(() => reportEnd(run, begin, names, { ...answered, error })).toThrow(error);
    expect(stderr()).toContain('natter: warning: cannot write ');
  });
});

describe('the figures at the end', () => {
  const shownBy = (options: RunOptions, terminals: readonly 'stderr'[]) => {
    const { run, stderr } = runWith(options, terminals);
    reportEnd(run, begin, names, answered);
    return stderr();
  };

  test('are shown on a terminal, above the last line', () => {
    expect(shownBy({}, ['stderr'])).toMatch(
      /^ *time  answers\n[^]*p50 [^]*\nnatter: first failure \(rate_limited\), line 4 [^]*\nnatter: all answered\n$/,
    );
  });

  test.each<readonly [string, RunOptions, readonly 'stderr'[], boolean]>([
    ['in a pipe', {}, [], false],
    ['in a pipe with --figures', { figures: true }, [], true],
    ['with --quiet', { quiet: true, figures: true }, ['stderr'], false],
  ])('%s are shown only if they are asked for', (_, options, terminals, isShown) => {
    expect(shownBy(options, terminals).includes('p50 ')).toBe(isShown);
  });

  test.each<readonly [string, RunOptions, boolean]>([
    ['in a pipe', {}, true],
    ['with --progress-json', { progressJson: true }, false],
  ])(
    'name the first failure of each cause only where no JSON has it: %s',
    (_, options, isShown) => {
      const sentence = 'natter: first failure (rate_limited), line 4 (q3): rate limited\n';
      expect(shownBy(options, []).includes(sentence)).toBe(isShown);
    },
  );

  test('do not repeat the failure that the last line has', () => {
    const { run, stderr } = runWith({});
    const error = new Failure('rate_limited', 'stopped: rate limited');
    expect(() => reportEnd(run, begin, names, { ...answered, notice: undefined, error })).toThrow(
      error,
    );
    expect(stderr()).toBe('');
  });
});

/** The end of a run that a signal or a failure may have stopped. */
function endOf(
  tally: Tally,
  output: string | undefined,
  left: number,
  { cause, failure }: { cause?: 'SIGINT' | 'SIGTERM'; failure?: Failure | undefined },
): Ending {
  const { context } = createMemoryContext();
  const stopping = { cause: () => cause, failure: () => failure } as Stopping;
  return endingOf({ context, tally } as SendingRun, stopping, 1000, fileTexts(output, left));
}

test.each([
  [undefined, 'use -o FILE to be able to resume'],
  ['out.jsonl', 'run the same command again for the rest'],
])('the end of a stopped run with the output %s says how to get the rest', (output, advice) => {
  const tally = { ...emptyTally(), total: 20, answered: 8 };
  const text = endOf(tally, output, 12, { cause: 'SIGINT' }).notice ?? '';
  expect(text).toMatch(/^stopped: 8 of 20 items answered/);
  expect(text.endsWith(`, 12 left; ${advice}`)).toBe(true);
});

test.each<readonly [number, string | undefined]>([
  [3, 'stopped by SIGTERM: 8 of 20 items answered in 1.0 s, 3 left'],
  [0, undefined],
])('Y7: SIGTERM with %i items left ends a run with the failure %s', (left, message) => {
  const tally = { ...emptyTally(), total: 20, answered: 8 };
  const { error } = endOf(tally, 'out.jsonl', left, { cause: 'SIGTERM' });
  expect((error as Failure | undefined)?.message).toBe(message);
});

test('a run that has no item left does not say that it stopped early', () => {
  const tally = { ...emptyTally(), total: 1 };
  const failure = new Failure('rate_limited', 'too many requests');
  countFailure(tally, failure, { index: 1, line: 1, id: undefined });
  const { error } = endOf(tally, 'out.jsonl', 0, { failure });
  expect((error as Failure).message).toMatch(/1 failed: 1 rate_limited$/);
});

describe('the hint of a run with failed items', () => {
  const dryRun = '--dry-run shows what is sent';
  const rejected = new Failure('invalid_request', 'rejected (400)', { hint: dryRun });
  const cut = new Failure('incomplete', 'cut', {
    hint: 'send the prompt again',
    remedy: { code: 'send-again' },
  });
  const wrongKey = new Failure('unauthorized', 'wrong key', { hint: 'natter auth login' });
  const again = 'run the same command again to retry only these';
  const itemAt = (at: number) => ({ index: at + 1, line: at + 2, id: at === 0 ? 'q1' : undefined });

  const hintOf = (
    failures: readonly Failure[],
    { output = 'out.jsonl', stopFailure }: { output?: string | null; stopFailure?: Failure } = {},
  ) => {
    const tally = { ...emptyTally(), total: 20, answered: stopFailure === undefined ? 8 : 0 };
    for (const [at, failure] of failures.entries()) countFailure(tally, failure, itemAt(at));
    const { error } = endOf(tally, output ?? undefined, 0, { failure: stopFailure });
    return (error as Failure).hint;
  };

  test.each<readonly [string, readonly Failure[], string]>([
    [
      'a rejected request names its line, and asks for a correction',
      [rejected],
      `line 2 (q1) cannot succeed unchanged: ${dryRun}; ${again}`,
    ],
    ['a cut answer needs the same command only', [cut], again],
    [
      'both need the same command, and a correction',
      [cut, rejected, rejected],
      `line 3 and 1 other item cannot succeed unchanged: ${dryRun}; ${again}`,
    ],
    [
      'an invalid line needs a correction',
      [new Failure('usage', 'line 2 of the input has no prompt', { hint: 'correct the line' })],
      'line 2 (q1) cannot succeed unchanged: correct the input; run the same command again to retry only these',
    ],
  ])('%s', (_, failures, hint) => {
    expect(hintOf(failures)).toBe(hint);
  });

  test('a refused key needs a new key first', () => {
    expect(hintOf([wrongKey], { stopFailure: wrongKey })).toBe(`natter auth login; ${again}`);
  });

  test('requests that are all rejected have something in common', () => {
    expect(hintOf([rejected, rejected], { stopFailure: rejected })).toBe(
      `correct what all items have in common: ${dryRun}; or send them all with --keep-going; ${again}`,
    );
  });

  test('without -o, the same command would send all items', () => {
    expect(hintOf([cut], { output: null })).toBe('use -o FILE to be able to retry only these');
  });
});

const layout = { isTerminal: true, width: 80, style: plainStyle, unicode: true };

const fourBuckets = {
  count: 1804,
  min: 20,
  mean: 900,
  p50: 180,
  p90: 2400,
  p99: 61_000,
  max: 400_000,
  buckets: [
    { up_to: 200, count: 1200 },
    { up_to: 500, count: 0 },
    { up_to: 1000, count: 600 },
    { up_to: 500_000, count: 4 },
  ],
};

describe('the histogram', () => {
  test('has a bar for each bucket, and percentiles', () => {
    expect(latencyText(fourBuckets, layout).split('\n')).toEqual([
      '    time  answers',
      '≤ 200 ms    1,200  ██████████████████████████████',
      '≤ 500 ms        0',
      '   ≤ 1 s      600  ███████████████',
      ' ≤ 8 min        4  ▏',
      'p50 180 ms, p90 2.4 s, p99 61 s, max 7 min',
      '',
    ]);
  });

  test('is ASCII where the locale is not UTF-8', () => {
    const text = latencyText(fourBuckets, { ...layout, unicode: false });
    expect(text).toMatch(/^[\n -~]+$/);
    expect(text).toContain('<= 8 min        4  #\n');
  });

  test.each([40, 20])('fits %d columns', (width) => {
    const lines = latencyText(fourBuckets, { ...layout, width }).split('\n');
    for (const line of lines.slice(0, -2)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });
});

describe('latencies', () => {
  const figuresOf = (durations: readonly number[]) => {
    const { latency } = emptyTally();
    for (const duration of durations) latency.add(duration);
    return latencyFigures(latency);
  };

  test('of one answer are that answer; without one, there are no figures', () => {
    expect(figuresOf([])).toBeNull();
    const figures = { min: 137, mean: 137, max: 137, p50: 137, p90: 137, p99: 137 };
    const buckets = [{ up_to: 200, count: 1 }];
    expect(figuresOf([137])).toEqual({ count: 1, ...figures, buckets });
  });

  test('are counted in buckets of 1, 2 and 5 times a power of ten, without gaps', () => {
    expect(figuresOf([0, 1, 1.5, 20, 20.1])?.buckets).toEqual([
      { up_to: 1, count: 2 },
      { up_to: 2, count: 1 },
      { up_to: 5, count: 0 },
      { up_to: 10, count: 0 },
      { up_to: 20, count: 1 },
      { up_to: 50, count: 1 },
    ]);
  });

  test('have exact percentiles', () => {
    const random = seededRandom(1);
    const durations = Array.from({ length: 5000 }, () => 1 + 10 ** (5 * random()));
    const sorted = durations.toSorted((one, other) => one - other);
    const figures = figuresOf(durations);
    const exact = (part: number) => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? 0);
    expect(figures).toMatchObject({ p50: exact(0.5), p90: exact(0.9), p99: exact(0.99) });
  });
});
