import { expect, test } from 'vitest';
import { emptyTally } from '../../../../src/batch/tally.ts';
import { noteTruncation } from '../../../../src/commands/batch/sending/pipeline.ts';

const cut = {
  content: 'the answer',
  failure: undefined,
  received: 'the answer',
  error: undefined,
  isStopped: false,
  isStarved: false,
  requestedModel: 'origin',
  metadata: { complete: true, usage: { prompt_tokens: 2048 }, estimatedPromptTokens: 10_000 },
};

test('several cut prompts are counted, with one warning', () => {
  const warnings: string[] = [];
  const tally = emptyTally();
  const note = () => noteTruncation(cut, tally, false, (text) => void warnings.push(text));
  expect([note(), note()]).toEqual([cut, cut]);
  expect(tally.truncated).toBe(2);
  expect(warnings).toEqual([expect.stringContaining('it counted 2,048 tokens of ~10,000')]);
});

test('with --strict, the answer to a cut prompt is a failure that keeps its text', () => {
  expect(noteTruncation(cut, emptyTally(), true, () => undefined)).toMatchObject({
    content: 'the answer',
    failure: { kind: 'truncated_prompt' },
  });
});
