import { describe, expect, test } from 'vitest';
import { helpOf } from '../../../../src/cli/help-details.ts';
import { buildBatch } from '../../../../src/commands/batch/command.ts';
import { printStatus } from '../../../../src/commands/batch/queue/queue-run.ts';
import { startRun } from '../../../../src/run.ts';
import { parsedBy } from '../../../cli/parse-words.ts';
import { rule } from '../../../sandbox/sandbox-helpers.ts';
import { promptLines } from '../../../support/batch.ts';
import { createMemoryContext } from '../../../support/memory-context.ts';
import { githubToken } from '../../../support/secret.ts';
import { openQueuePlace, openSubmitted } from './queue-helpers.ts';

const parsed = (words: string) => parsedBy(buildBatch(), words);

test.each<readonly [string, string, object]>([
  [
    'batch submit p --queue q --batch n --attempts 2 --rpm 9 -m a --no-stream --limit 3',
    'submit p',
    { queue: 'q', batch: 'n', attempts: '2', rpm: '9', model: 'a', stream: false, limit: '3' },
  ],
  [
    'batch work --queue q --concurrency 9 --rpm 9 --tpm 50 --wait --stop-after 5m --summary s',
    'work',
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
  ['batch status --batch n --json', 'status', { batch: 'n', json: true }],
  [
    'batch collect -o out --unordered --remove --force',
    'collect',
    { output: 'out', unordered: true, remove: true, force: true },
  ],
])('%s', async (words, expected, options) => {
  const [ran, found] = await parsed(words);
  expect(ran).toBe(expected);
  expect(found).toMatchObject(options);
});

test.each(
  buildBatch()
    .commands.flatMap((one) => helpOf(one).examples)
    .filter((line) => line.includes('--queue ')),
)('%s', async (line) => {
  const [, options] = await parsed(line.replace('natter ', ''));
  expect(options).toMatchObject({ queue: 'redis://localhost:6379' });
});

test.each(['batch submit p --dry-run', 'batch work -m a', 'batch collect --limit 3'])(
  '%s is refused, because only natter batch has the option',
  async (words) => {
    await expect(parsed(words)).rejects.toThrow(/^natter batch \w+ does not have the option --/);
  },
);

const usage = (words: RegExp) =>
  expect.objectContaining({
    kind: 'usage',
    message: expect.stringMatching(words) as string,
  }) as Error;

const states = (place: Awaited<ReturnType<typeof openQueuePlace>>, name: string) =>
  [...place.batch(name).jobs].map(([id, { state }]) => `${id} ${state}`);

describe('natter batch submit', () => {
  test('adds each item as a job, and the options for the requests', async () => {
    const place = await openQueuePlace();
    place.write('p.jsonl', '{"id":"a","prompt":"one"}\n{"prompt":"two"}\n');
    expect(
      await place.submit('p.jsonl', {
        model: 'nextgen',
        system: 'brief',
        maxTokens: '5',
        param: ['seed=1'],
        stream: false,
      }),
    ).toBe('natter: batch p: 2 items added\n');
    expect(states(place, 'p')).toEqual(['item-1 waiting', 'item-2 waiting']);
    expect(await place.batch('p').queue.header()).toEqual({
      input: place.path('p.jsonl'),
      model: 'nextgen',
      system: 'brief',
      maxTokens: 5,
      params: { seed: 1 },
      stream: false,
    });
  });

  test('adds nothing twice, only what is new', async () => {
    const place = await openSubmitted('one\ntwo\n');
    place.write('p.txt', 'one\ntwo\nthree\n');
    expect(await place.submit('p.txt')).toBe(
      'natter: batch p: 1 item added, 2 were there before\n',
    );
    expect(await place.submit('p.txt')).toContain('0 items added, 3 were there before');
    expect(place.batch('p').jobs.size).toBe(3);
  });

  test.each([
    ['a changed prompt', '{"id":"a","prompt":"one"}\n{"id":"b","prompt":"new"}\n'],
    ['a changed id', '{"id":"a","prompt":"one"}\n{"id":"c","prompt":"two"}\n'],
    ['a changed order', '{"id":"b","prompt":"two"}\n{"id":"a","prompt":"one"}\n'],
  ])('refuses %s, and adds nothing', async (_, changed) => {
    const place = await openQueuePlace();
    place.write('p.jsonl', '{"id":"a","prompt":"one"}\n{"id":"b","prompt":"two"}\n');
    await place.submit('p.jsonl');
    place.write('p.jsonl', `${changed}{"id":"d","prompt":"more"}\n`);
    await expect(place.submit('p.jsonl')).rejects.toThrow(usage(/^line \d of the input has /));
    expect(place.batch('p').jobs.size).toBe(2);
  });

  test('keeps the result of a line that cannot be sent, until it is corrected', async () => {
    const place = await openQueuePlace();
    place.write('p.jsonl', '{"prompt":"one"}\n{"promt":"two"}\n');
    expect(await place.submit('p.jsonl')).toContain('warning: line 2 of');
    expect(await place.batch('p').queue.counts()).toMatchObject({ items: 2, failed: 1 });
    place.write('p.jsonl', '{"prompt":"one"}\n{"prompt":"two"}\n');
    expect(await place.submit('p.jsonl')).toContain('1 item added, 1 were there before');
    expect(await place.batch('p').queue.counts()).toMatchObject({ items: 2, waiting: 2 });
  });

  test('sets the rate of a new batch, changes it only with --rpm, and refuses 0 attempts', async () => {
    const place = await openSubmitted('one\n');
    await place.submit('p.txt');
    await place.submit('p.txt', { rpm: '90' });
    expect(place.batch('p').log).toEqual(['rate none', 'rate 90']);
    await expect(place.submit('p.txt', { attempts: '0' })).rejects.toThrow(usage(/--attempts/));
  });

  test('refuses prompts with secrets for a queue on a different host, and adds nothing', async () => {
    const place = await openQueuePlace();
    place.write('p.txt', `one\nuse ${githubToken}\n`);
    await expect(place.submit('p.txt')).rejects.toThrow(
      expect.objectContaining({
        kind: 'secrets',
        message: `${place.path('p.txt')} line 2 has a GitHub token, so it was not sent to the queue at queue.test:6379`,
      }) as Error,
    );
    expect(place.batch('p').jobs.size).toBe(0);
    expect(await place.submit('p.txt', { allowSecrets: true })).toContain('2 items added');
  });
});

async function statusOf(names: readonly string[], options: { json?: boolean; batch?: string }) {
  const place = await openQueuePlace();
  place.write('p.txt', promptLines(3));
  for (const name of names) await place.submit('p.txt', { batch: name });
  const { context, stdout, stderr } = createMemoryContext();
  const all = { color: 'never', input: true, ...options } as const;
  await printStatus(await startRun(context, all), async () => place.connection);
  return { stdout: stdout(), stderr: stderr() };
}

test('natter batch status prints a row for each batch', async () => {
  const { stdout } = await statusOf(['b', 'a'], {});
  expect(stdout).toBe('a\t3\t0\t0\t3\t0\t0\t0/min\t0\nb\t3\t0\t0\t3\t0\t0\t0/min\t0\n');
});

test('natter batch status --json --batch prints one batch', async () => {
  const { stdout } = await statusOf(['a', 'b'], { json: true, batch: 'b' });
  const counts = { items: 3, waiting: 3, answered: 0, failed: 0, active: 0, delayed: 0 };
  const activity = { answered_last_minute: 0, workers: 0 };
  expect(JSON.parse(stdout)).toEqual([{ batch: 'b', ...counts, ...activity }]);
});

test('natter batch status reports a queue without batches', async () => {
  const { stdout, stderr } = await statusOf([], {});
  expect(stdout).toBe('');
  expect(stderr).toBe('natter: the queue at redis://queue.test:6379/0 has no batch\n');
});

async function answeredPlace(count: number) {
  const place = await openSubmitted(count);
  await place.work().ended;
  return place;
}

describe('natter batch collect', () => {
  test('writes the results in the order of the input', async () => {
    const place = await answeredPlace(12);
    const { stderr } = await place.collect('out.jsonl');
    expect(stderr).toMatch(/^natter: batch p: 12 of 12 items answered in /);
    const results = place.results('out.jsonl');
    expect(results.map(({ index, content }) => [index, content])).toEqual(
      Array.from({ length: 12 }, (_, at) => [at + 1, `prompt ${at + 1}`]),
    );
    expect((await place.collect(undefined)).stdout).toBe(place.read('out.jsonl'));
  });

  test('adds what is new, and reports what is left', async () => {
    const place = await answeredPlace(3);
    place.write('p.txt', promptLines(5));
    await place.submit('p.txt');
    expect((await place.collect('out.jsonl')).failure).toMatchObject({
      kind: 'unfinished',
      message: expect.stringContaining('3 of 5 items answered') as string,
    });
    expect(place.results('out.jsonl').length).toBe(3);
    await place.work().ended;
    const { stderr } = await place.collect('out.jsonl');
    expect(stderr).toContain('5 of 5 items answered (3 before)');
    expect(place.results('out.jsonl').length).toBe(5);
  });

  test('names the first failed item of each cause, as natter batch does', async () => {
    const place = await openSubmitted(`\n${promptLines(3)}`, [
      rule('status=400', { prompt: 'prompt 2' }),
    ]);
    await expect(place.work().ended).rejects.toMatchObject({ kind: 'invalid_request' });
    const { failure, stderr } = await place.collect('out.jsonl');
    expect(failure).toMatchObject({ kind: 'invalid_request' });
    expect(stderr).toMatch(/^natter: first failure \(invalid_request\), line 3: the service /);
  });

  test.each([
    ['has a different prompt', promptLines(2).replaceAll('prompt', 'fact')],
    ['the batch has no item 2', promptLines(1)],
  ])('refuses a file of a different batch: %s', async (words, input) => {
    const place = await answeredPlace(2);
    await place.collect('out.jsonl');
    place.write('other.txt', input);
    await place.submit('other.txt');
    const before = place.results('out.jsonl');
    expect((await place.collect('out.jsonl', { batch: 'other' })).failure).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(words) as string,
    });
    expect(place.results('out.jsonl')).toEqual(before);
  });

  test('--remove deletes the batch when all results are in the file', async () => {
    const place = await answeredPlace(1);
    await place.collect('out.jsonl', { remove: true });
    expect(await place.connection.batches()).toEqual([]);
  });

  test('--remove keeps a batch with items that have no result, unless --force is set', async () => {
    const place = await openSubmitted(1);
    for (const force of [false, true]) {
      const { failure } = await place.collect('out.jsonl', { remove: true, force });
      expect(String(failure)).toContain('0 of 1');
      expect(await place.connection.batches()).toEqual(force ? [] : ['p']);
    }
  });

  test.each([
    [{ remove: true }, '--remove needs a file'],
    [{ force: true }, '--force is only for --remove'],
  ])('refuses %j without a file', async (options, message) => {
    const place = await openQueuePlace();
    expect(String((await place.collect(undefined, options)).failure)).toContain(message);
  });
});
