import { expect, test } from 'vitest';
import { emptyTally } from '../../../../src/batch/tally.ts';
import { stoppedText } from '../../../../src/commands/batch/report/summary.ts';

test.each([
  [undefined, 'use -o FILE to be able to resume'],
  ['out.jsonl', 'run the same command again for the rest'],
])('the end of a stopped run with the output %s says how to get the rest', (output, advice) => {
  const tally = { ...emptyTally(), total: 20, answered: 8 };
  const text = stoppedText({ tally, output, elapsed: 1000, stopFailure: undefined });
  expect(text).toMatch(/^stopped: 8 of 20 items answered/);
  expect(text.endsWith(`, 12 left; ${advice}`)).toBe(true);
});
