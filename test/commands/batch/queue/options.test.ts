import { expect, test } from 'vitest';
import { buildBatch, type RunBatch } from '../../../../src/commands/batch/command.ts';
import { examplesOf } from '../../../../src/commands/program/help-details.ts';
import { createMemoryContext } from '../../../support/memory-context.ts';
import { parseWords } from '../../parse-words.ts';

const { context } = createMemoryContext();
const build = (runs: RunBatch) => buildBatch(context, runs);

test.each<readonly [string, string, string | undefined, object]>([
  [
    'batch submit p --queue q --batch n --attempts 2 --rpm 9 -m a --no-stream --limit 3',
    'submit',
    'p',
    { queue: 'q', batch: 'n', attempts: '2', rpm: '9', model: 'a', stream: false, limit: '3' },
  ],
  [
    'batch work --queue q --concurrency 9 --rpm 9 --tpm 50 --wait --stop-after 5m --summary s',
    'work',
    undefined,
    {
      queue: 'q',
      concurrency: '9',
      rpm: '9',
      tpm: '50',
      wait: true,
      stopAfter: '5m',
      summary: 's',
    },
  ],
  ['batch status --batch n --json', 'status', undefined, { batch: 'n', json: true }],
  [
    'batch collect -o out --unordered --remove --force',
    'collect',
    undefined,
    { output: 'out', unordered: true, remove: true, force: true },
  ],
])('%s', async (words, expected, word, options) => {
  const [name, parsed, file] = await parseWords(build, words);
  expect([name, file]).toEqual([expected, word]);
  expect(parsed).toMatchObject(options);
});

test.each(
  build({} as RunBatch)
    .commands.flatMap(examplesOf)
    .filter(({ line }) => line.includes('--queue ')),
)('$line', async ({ line }) => {
  const [, options] = await parseWords(build, line.replace('natter ', ''));
  expect(options).toMatchObject({ queue: 'redis://localhost:6379' });
});

test.each(['batch submit p --dry-run', 'batch work -m a', 'batch collect --limit 3'])(
  '%s is refused, because only natter batch has the option',
  async (words) => {
    await expect(parseWords(build, words)).rejects.toThrow(
      /^natter batch \w+ does not have the option --/,
    );
  },
);
