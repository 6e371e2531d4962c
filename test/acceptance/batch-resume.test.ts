import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../conversation/journal-fixtures.ts';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { serviceAt } from '../support/natter.ts';
import { json } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { type BatchPlace, openBatchPlace, promptLines } from '../support/batch.ts';

const message = { role: 'assistant', content: 'ok' };
const prompts = (count: number) => promptLines(count).trim().split('\n');

/** Expects exactly one answer to every prompt, in order. */
function expectComplete(place: BatchPlace, name: string, count: number): void {
  const results = place.results(name);
  expect(results.map(({ index }) => index)).toEqual(prompts(count).map((_, place_) => place_ + 1));
  expect(results.map(({ content }) => content)).toEqual(prompts(count));
}

describe('the same command again', () => {
  test('sends only failed items, and puts their answers in the right positions', async () => {
    const place = await openBatchPlace([rule('500 times=1', { prompt: 'prompt 2' })]);
    place.write('p.txt', promptLines(3));
    const words = ['p.txt', '-o', 'out.jsonl', '--retries', '0'];
    const first = await place.run(words);
    expect(first.code).toBe(75);
    expect(place.results('out.jsonl')[1]?.error?.kind).toBe('server_error');
    place.asked.length = 0;
    const second = await place.run(words);
    expect(second).toMatchObject({ code: 0, stdout: '' });
    expect(second.stderr).toContain('3 of 3 items answered (2 before)');
    expect(place.asked).toEqual(['prompt 2']);
    expectComplete(place, 'out.jsonl', 3);
  });

  test('points out the kept answers of a different model', async () => {
    const place = await openBatchPlace([rule('500 times=1', { prompt: 'prompt 2' })]);
    place.write('p.txt', promptLines(3));
    const words = ['p.txt', '-o', 'out.jsonl', '--retries', '0'];
    await place.run(words);
    const other = await place.run([...words, '-m', 'nextgen']);
    expect(other.stderr).toContain(
      'natter: kept 2 answers of origin in out.jsonl; a different -o file asks again\n',
    );
    expect(place.results('out.jsonl').map(({ model }) => model)).toEqual([
      'origin',
      'nextgen',
      'origin',
    ]);
    const table =
      '{"prompt":"prompt 1","model":"origin"}\n{"prompt":"prompt 2","model":"nextgen"}\n';
    place.write('p.jsonl', table + '{"prompt":"prompt 3","model":"origin"}\n');
    const same = await place.run(['p.jsonl', '-o', 'out.jsonl', '--retries', '0']);
    expect(same).toMatchObject({ code: 0, stderr: expect.not.stringContaining('kept') as string });
  });

  test('knows a model that the service reports with a different name', async () => {
    const body = {
      id: 'a',
      model: 'origin-2026',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    };
    const server = await serve([[json(200, body)]]);
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(1));
    const words = ['p.txt', '-o', 'out.jsonl'];
    await place.run(words, { env: serviceAt(server) });
    expect(place.results('out.jsonl')[0]).toMatchObject({
      requested_model: 'origin',
      model: 'origin-2026',
    });
    const again = await place.run(words, { env: serviceAt(server) });
    expect(again.stderr).not.toContain('kept');
  });

  test('sends nothing if all items are answered', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(3));
    await place.run(['p.txt', '-o', 'out.jsonl']);
    const before = place.read('out.jsonl');
    place.asked.length = 0;
    const { code, stderr } = await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(code).toBe(0);
    expect(place.asked).toEqual([]);
    expect(place.read('out.jsonl')).toBe(before);
    expect(stderr).toContain('natter: nothing was sent; a different -o file asks again\n');
  });

  test('refuses answers of the sandbox for a service on a different machine', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(2));
    const env = { NATTER_BASE_URL: 'https://service.invalid/v1' };
    const words = ['p.txt', '-o', 'out.jsonl'];
    const sandboxed = [...words, '--sandbox'];
    expect((await place.run(sandboxed, { env })).code).toBe(0);
    expect((await place.run(sandboxed, { env })).code).toBe(0);
    const { code, stderr } = await place.run(words, { env });
    expect(code).toBe(2);
    expect(stderr).toContain('out.jsonl has the answer of the sandbox to item 1');
  });

  test('sends items added to the input', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(3));
    await place.run(['p.txt', '-o', 'out.jsonl']);
    place.write('p.txt', promptLines(5));
    place.asked.length = 0;
    await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(place.asked).toHaveLength(2);
    expectComplete(place, 'out.jsonl', 5);
  });

  test('sends a corrected line', async () => {
    const place = await openBatchPlace();
    place.write('p.jsonl', '{"prompt":"prompt 1"}\noops\n');
    await place.run(['p.jsonl', '-o', 'out.jsonl']);
    place.write('p.jsonl', '{"prompt":"prompt 1"}\n{"prompt":"prompt 2"}\n');
    expect((await place.run(['p.jsonl', '-o', 'out.jsonl'])).code).toBe(0);
    expectComplete(place, 'out.jsonl', 2);
  });

  test.each([
    ['a different prompt', 'other\n', []],
    ['a shorter input', promptLines(2), []],
    ['a different system prompt', promptLines(3), ['-s', 'be brief']],
  ])('is refused with %s, before anything is sent', async (_, text, more) => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(3));
    await place.run(['p.txt', '-o', 'out.jsonl']);
    const before = place.read('out.jsonl');
    place.write('p.txt', text);
    place.asked.length = 0;
    const { code, stderr } = await place.run(['p.txt', '-o', 'out.jsonl', ...more]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/a different prompt|has a result for item 3/);
    expect(place.asked).toEqual([]);
    expect(place.read('out.jsonl')).toBe(before);
  });

  test('is refused while the first is still running', async () => {
    const place = await openBatchPlace([rule('echo stall-after=1')]);
    place.write('p.txt', 'a few words\n');
    const first = place.start(['p.txt', '-o', 'out.jsonl']);
    await waitFor(() => place.has('out.jsonl.lock'));
    const { code, stderr } = await place.start(['p.txt', '-o', 'out.jsonl']).result;
    expect(code).toBe(12);
    expect(stderr).toContain(`another natter (process ${first.child.pid} on `);
    expect(stderr).toContain(') is writing out.jsonl');
    first.child.kill('SIGKILL');
    await first.result;
  });
});

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(2);
}

test('a batch killed at ten moments has every answer once, and repeats no saved request', async () => {
  const count = 200;
  const concurrency = 8;
  const place = await openBatchPlace();
  place.write('p.txt', promptLines(count));
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', String(concurrency)];
  const path = join(place.folder, 'out.jsonl');
  const sizeOf = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const random = seededRandom(20);
  for (let kill = 0; kill < 10; kill += 1) {
    const growth = Math.floor(random() * 3000);
    const before = sizeOf();
    const natter = place.start(words);
    await waitFor(() => sizeOf() > before + growth || natter.child.exitCode !== null);
    natter.child.kill('SIGKILL');
    await natter.result;
  }
  expect((await place.run(words)).code).toBe(0);
  expectComplete(place, 'out.jsonl', count);
  expect(place.asked.length).toBeLessThanOrEqual(count + 10 * concurrency);
}, 240_000);

describe('shards', () => {
  test('are merged into the complete results', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(11));
    for (const shard of [1, 2, 3]) {
      await place.run(['p.txt', '--shard', `${shard}/3`, '-o', `piece-${shard}.jsonl`]);
    }
    expect(place.asked).toHaveLength(11);
    const pieces = ['piece-3.jsonl', 'piece-1.jsonl', 'piece-2.jsonl'];
    const { code, stderr } = await place.run(['merge', ...pieces, '-o', 'all.jsonl']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'natter: merged 11 results\n' });
    expectComplete(place, 'all.jsonl', 11);
    expect((await place.run(['merge', ...pieces])).stdout).toBe(place.read('all.jsonl'));
  });

  test('with one missing leave gaps, which merge reports and a batch fills', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(7));
    for (const shard of [1, 3]) {
      await place.run(['p.txt', '--shard', `${shard}/3`, '-o', `piece-${shard}.jsonl`]);
    }
    const merged = await place.run(['merge', 'piece-1.jsonl', 'piece-3.jsonl', '-o', 'all.jsonl']);
    expect(merged.code).toBe(11);
    expect(merged.stderr).toContain('2 items are missing among 5 results: 2, 5');
    await place.run(['p.txt', '-o', 'all.jsonl']);
    expectComplete(place, 'all.jsonl', 7);
  });

  test('that overlap are refused, and no file is written', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(4));
    await place.run(['p.txt', '-o', 'a.jsonl']);
    await place.run(['p.txt', '--shard', '2/2', '-o', 'b.jsonl']);
    const { code, stderr } = await place.run(['merge', 'a.jsonl', 'b.jsonl', '-o', 'c.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toContain('item 2 is answered twice, in a.jsonl and b.jsonl');
    expect(place.has('c.jsonl')).toBe(false);
  });

  test('do not overwrite an existing file without --force', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(2));
    await place.run(['p.txt', '-o', 'a.jsonl']);
    const refused = await place.run(['merge', 'a.jsonl', '-o', 'a.jsonl']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force') as string,
    });
    expect((await place.run(['merge', 'a.jsonl', '-o', 'a.jsonl', '--force'])).code).toBe(0);
    expectComplete(place, 'a.jsonl', 2);
  });

  test('never replace a folder', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(2));
    await place.run(['p.txt', '-o', 'a.jsonl']);
    mkdirSync(join(place.folder, 'all'));
    const { code, stderr } = await place.run(['merge', 'a.jsonl', '-o', 'all', '--force']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('all is not a regular file') as string,
    });
    expect(readdirSync(place.folder).toSorted()).toEqual(['a.jsonl', 'all', 'p.txt']);
  });
});
