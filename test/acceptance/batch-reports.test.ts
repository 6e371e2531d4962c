import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, promptLines } from '../support/batch.ts';

test('--summary and --progress-json report the run as JSON, also of a shard of an array job', async () => {
  const place = await openBatchPlace([rule('500', { prompt: 'prompt 3' })]);
  place.write('p.txt', promptLines(4));
  const { code, stderr } = await place.run(
    ['p.txt', '-o', 'o.jsonl', '--shard', 'auto/2', '--retries', '0', '-q'].concat([
      '--summary',
      's.json',
      '--progress-json',
    ]),
    { env: { JOB_COMPLETION_INDEX: '1' } },
  );
  expect(code).toBe(75);
  const summary = JSON.parse(place.read('s.json')) as object;
  expect(summary).toMatchObject({
    input: 'p.txt',
    output: 'o.jsonl',
    shard: '1/2',
    exit_code: 75,
    exit_name: 'unfinished',
    items: { total: 2, answered: 1, failed: 1, left: 0 },
    causes: [{ kind: 'server_error', count: 1 }],
    latency_ms: { count: 1 },
  });
  const [line = '', ...rest] = stderr.split('\n');
  expect(JSON.parse(line)).toEqual(summary);
  expect(rest[0]).toMatch(/^natter: 1 of 2 items answered/);
});

test('a refused key stops the run, and the summary has its exit code', async () => {
  const place = await openBatchPlace();
  place.write('p.txt', promptLines(50));
  const words = ['p.txt', '--concurrency', '1', '--summary', 's.json'];
  const { code } = await place.run(words, { env: { NATTER_API_KEY: 'wrong' } });
  expect(code).toBe(4);
  expect(JSON.parse(place.read('s.json'))).toMatchObject({
    exit_code: 4,
    stopped_by: 'failure',
    items: { failed: 1, left: 49 },
  });
});

test.each([
  [['--summary', 'p.txt'], 'p.txt is the input; the summary cannot be written to it'],
  [['--summary', 'o.jsonl', '-o', 'o.jsonl'], 'o.jsonl is the results file'],
  [['--summary', 'none/s.json'], '--summary: there is no folder '],
  [['--summary', 'link'], '--summary: link is not a regular file'],
  [['--stop-after', 'soon'], '--stop-after must be a duration such as 500ms, 30s, 10m or 1h'],
  [['--shard', 'auto'], '--shard auto: this is not an array job: none of SLURM_ARRAY_TASK_ID'],
])('%j is refused before anything is sent', async (words, message) => {
  const place = await openBatchPlace();
  place.write('p.txt', promptLines(2));
  place.write('o.jsonl', '');
  symlinkSync('/dev/stderr', join(place.folder, 'link'));
  const { code, stderr } = await place.run(['p.txt', ...words]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  expect(place.asked).toEqual([]);
});

test('--figures shows the times of answers and the causes of failures', async () => {
  const place = await openBatchPlace([rule('404', { prompt: 'prompt 2' })]);
  place.write('p.txt', promptLines(3));
  const { stderr } = await place.run(['p.txt', '--figures']);
  expect(stderr).toMatch(
    /^time of 2 answers\n[^]*\np50 .*\ncause +failed +first +example\nnot_found +1 +line 2 /,
  );
});
