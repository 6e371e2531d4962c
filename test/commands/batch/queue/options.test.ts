import { expect, test } from 'vitest';
import { buildBatch } from '../../../../src/commands/batch/command.ts';
import { examplesOf } from '../../../../src/cli/help-details.ts';
import { createMemoryContext } from '../../../support/memory-context.ts';
import { parsedBy } from '../../../cli/parse-words.ts';

const { context } = createMemoryContext();
const parsed = (words: string) => parsedBy(buildBatch(context), words);

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
  const [name, found, file] = await parsed(words);
  expect([name, file]).toEqual([expected, word]);
  expect(found).toMatchObject(options);
});

test.each(
  buildBatch(context)
    .commands.flatMap(examplesOf)
    .filter(({ line }) => line.includes('--queue ')),
)('$line', async ({ line }) => {
  const [, options] = await parsed(line.replace('natter ', ''));
  expect(options).toMatchObject({ queue: 'redis://localhost:6379' });
});

test.each(['batch submit p --dry-run', 'batch work -m a', 'batch collect --limit 3'])(
  '%s is refused, because only natter batch has the option',
  async (words) => {
    await expect(parsed(words)).rejects.toThrow(/^natter batch \w+ does not have the option --/);
  },
);
