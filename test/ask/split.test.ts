import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer } from '../../src/ask/ask.ts';
import { askPieces, KeptAnswers } from '../../src/ask/split.ts';
import { Failure } from '../../src/failure.ts';

const answerOf = (content: string, failure?: Failure): Answer => ({
  content,
  received: content,
  metadata: { complete: failure === undefined },
  failure,
  error: failure,
  isStopped: false,
});

const { signal } = new AbortController();
const prompts = Array.from({ length: 20 }, (_, index) => `piece ${index + 1}`);

test('at most four prompts are sent at a time, and all answers are in order', async () => {
  let running = 0;
  let most = 0;
  const answers = await askPieces(prompts, new KeptAnswers(undefined), signal, async (prompt) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return answerOf(`answer to ${prompt}`);
  });
  expect(most).toBe(4);
  expect(answers.map(({ content }) => content)).toEqual(prompts.map((text) => `answer to ${text}`));
});

test.each([
  ['four failures in a row', 'server_error', 4 + 3],
  ['a key that the service does not accept', 'unauthorized', 4],
] as const)('after %s, only the running prompts end', async (_, kind, most) => {
  let sent = 0;
  const asking = askPieces(prompts, new KeptAnswers(undefined), signal, async () => {
    sent += 1;
    return answerOf('', new Failure(kind, 'the service failed'));
  });
  await expect(asking).rejects.toMatchObject({
    kind,
    message: expect.stringContaining(
      'of 20 pieces failed; the first: the service failed',
    ) as string,
  });
  expect(sent).toBe(most);
});

test('kept answers that cannot be read are a storage failure', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-pieces-'));
  expect(() => new KeptAnswers(folder)).toThrow(expect.objectContaining({ kind: 'storage' }));
});

test('a kept answer is not asked for again, and a line that was cut is', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'natter-pieces-')), 'kept.jsonl');
  const kept = new KeptAnswers(file);
  kept.keep('one', answerOf('first'));
  kept.keep('two', answerOf('second'));
  expect(new KeptAnswers(file).saved).toBe(2);
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
  const again = new KeptAnswers(file);
  expect(again.find('one')?.content).toBe('first');
  expect(again.find('two')).toBeUndefined();
});
