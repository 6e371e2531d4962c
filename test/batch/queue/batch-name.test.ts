import { expect, test } from 'vitest';
import { batchNameOf } from '../../../src/batch/queue/redis-queue.ts';

test.each([
  [undefined, 'data/reviews.jsonl', 'reviews'],
  [undefined, 'my prompts (2).txt', 'my-prompts-2-'],
  [undefined, '.hidden.csv', 'hidden'],
  [undefined, `${'a'.repeat(120)}.txt`, 'a'.repeat(100)],
  ['night-2', 'prompts.txt', 'night-2'],
  ['Größe_1', undefined, 'Größe_1'],
])('the name of --batch %s and %s is %s', (option, file, name) => {
  expect(batchNameOf(option, file)).toBe(name);
});

test.each([
  ['has a colon', 'a:b', 'prompts.txt'],
  ['starts with a hyphen', '-a', 'prompts.txt'],
  ['is empty', '', 'prompts.txt'],
  ['is too long', 'a'.repeat(101), 'prompts.txt'],
  ['has only other characters', undefined, '???.txt'],
  ['is missing for a pipe', undefined, '-'],
  ['is missing for standard input', undefined, undefined],
])('a name that %s is refused', (_, option, file) => {
  expect(() => batchNameOf(option, file)).toThrow(
    expect.objectContaining({ kind: 'usage' }) as Error,
  );
});
