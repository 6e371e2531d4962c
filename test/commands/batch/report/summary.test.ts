import { describe, expect, test } from 'vitest';
import { countFailure, emptyTally } from '../../../../src/batch/tally.ts';
import {
  batchFailure,
  fileTexts,
  stoppedText,
} from '../../../../src/commands/batch/report/summary.ts';
import { Failure } from '../../../../src/failure.ts';

test.each([
  [undefined, 'use -o FILE to be able to resume'],
  ['out.jsonl', 'run the same command again for the rest'],
])('the end of a stopped run with the output %s says how to get the rest', (output, advice) => {
  const tally = { ...emptyTally(), total: 20, answered: 8 };
  const text = stoppedText({
    tally,
    texts: fileTexts(output, 12),
    left: 12,
    elapsed: 1000,
    stopFailure: undefined,
  });
  expect(text).toMatch(/^stopped: 8 of 20 items answered/);
  expect(text.endsWith(`, 12 left; ${advice}`)).toBe(true);
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
    const texts = fileTexts(output ?? undefined, 0);
    const end = { tally, elapsed: 1, texts, left: 0, stopFailure };
    return batchFailure(end)?.hint;
  };

  test.each<readonly [string, readonly Failure[], string]>([
    [
      'a rejected request names its line, and asks for a correction',
      [rejected],
      `line 2 (q1) fails each time: ${dryRun}; after a correction, run the same command to retry only these`,
    ],
    ['a cut answer needs the same command only', [cut], again],
    [
      'both need the same command, and a correction',
      [cut, rejected, rejected],
      `${again}; 2 items, first line 3, fail each time: ${dryRun}`,
    ],
    [
      'an invalid line needs a correction',
      [new Failure('usage', 'line 2 of the input has no prompt', { hint: 'correct the line' })],
      'line 2 (q1) fails each time: correct it; after a correction, run the same command to retry only these',
    ],
  ])('%s', (_, failures, hint) => {
    expect(hintOf(failures)).toBe(hint);
  });

  test('a refused key needs a new key first', () => {
    expect(hintOf([wrongKey], { stopFailure: wrongKey })).toBe(`natter auth login; ${again}`);
  });

  test('requests that are all rejected have something in common', () => {
    expect(hintOf([rejected, rejected], { stopFailure: rejected })).toBe(
      `correct what all items have in common: ${dryRun}; or send them all with --keep-going; after a correction, run the same command to retry only these`,
    );
  });

  test('without -o, the same command would send all items', () => {
    expect(hintOf([cut], { output: null })).toBe('use -o FILE to be able to retry only these');
  });
});
