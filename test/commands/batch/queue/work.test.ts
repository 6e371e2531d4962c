import { existsSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BatchQueue } from '../../../../src/batch/queue/redis-queue.ts';
import { rule } from '../../../sandbox/sandbox-helpers.ts';
import { nodeWarnings, promptLines, saying } from '../../../support/batch.ts';
import { openQueuePlace, openSubmitted } from './queue-helpers.ts';

async function lines({ queue }: { readonly queue: BatchQueue }, ...indexes: readonly number[]) {
  const found: Record<string, unknown>[] = [];
  for await (const { line } of queue.results(indexes)) {
    found.push(JSON.parse(line) as Record<string, unknown>);
  }
  return found;
}

describe('natter batch work', () => {
  test('answers all items with the options of the batch, and ends', async () => {
    const place = await openSubmitted(9, [], { model: 'nextgen' });
    const { ended, stderr } = place.work();
    await ended;
    expect(stderr()).toMatch(/^natter: 9 items answered in /);
    expect(place.asked.toSorted()).toEqual(promptLines(9).trim().split('\n').toSorted());
    const { queue } = place.batch('p');
    const [first] = await lines({ queue }, 1);
    expect(first).toMatchObject({ index: 1, line: 1, content: 'prompt 1', model: 'nextgen' });
  });

  test('--summary describes the run of this worker', async () => {
    const place = await openSubmitted(3, [rule('status=400', { prompt: 'prompt 2' })]);
    const summary = place.path('run.json');
    await expect(place.work({ summary }).ended).rejects.toMatchObject({ kind: 'invalid_request' });
    expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({
      type: 'summary',
      batch: 'p',
      exit_code: 7,
      stopped_by: null,
      items: { total: null, answered: 2, failed: 1, left: 0 },
      attempts: 3,
      latency_ms: { count: 2 },
      causes: [{ kind: 'invalid_request', count: 1 }],
    });
  });

  test('an item that a killed worker had answered is not asked again', async () => {
    const place = await openSubmitted(1);
    const batch = place.batch('p');
    const [job] = batch.jobs.values();
    if (job !== undefined) job.starts = 1;
    await batch.queue.putResult({ index: 1, isAnswered: true, line: '{"index":1}' });
    await place.work().ended;
    expect(place.asked).toEqual([]);
    expect(await batch.queue.counts()).toMatchObject({ waiting: 0, active: 0, answered: 1 });
  });

  test('a transient failure is tried again, until the attempts are used up', async () => {
    const place = await openSubmitted(1, [rule('status=503')], { attempts: '2' });
    const { ended } = place.work();
    const batch = place.batch('p');
    await expect.poll(async () => (await batch.queue.counts()).delayed).toBe(1);
    batch.retryDelayed();
    await expect(ended).rejects.toMatchObject({ kind: 'unfinished' });
    expect(place.asked.length).toBe(2);
    const [failed] = await lines(batch, 1);
    expect(failed).toMatchObject({ error: { kind: 'server_error' } });
    expect(await place.submit('p.txt')).toContain('1 failed before and wait again');
  });

  test('the first items that all fail alike stop the worker, unless --keep-going is given', async () => {
    const place = await openSubmitted(30, [rule('status=400')]);
    const failure = { kind: 'invalid_request' };
    await expect(place.work({ concurrency: '1' }).ended).rejects.toMatchObject(failure);
    expect(await place.batch('p').queue.counts()).toMatchObject({ failed: 9, waiting: 21 });
    await expect(place.work({ keepGoing: true }).ended).rejects.toMatchObject(failure);
    expect(await place.batch('p').queue.counts()).toMatchObject({ failed: 30, waiting: 0 });
  });

  test('a refused key returns the items to the other workers', async () => {
    const place = await openSubmitted(8);
    const { ended } = place.work({ key: 'wrong-key-0123456789' });
    await expect(ended).rejects.toMatchObject({ kind: 'unauthorized' });
    const { queue } = place.batch('p');
    expect(await queue.counts()).toMatchObject({ waiting: 8, failed: 0, active: 0 });
    await place.work().ended;
    expect(await queue.counts()).toMatchObject({ answered: 8, waiting: 0 });
  });

  test('SIGTERM lets running items finish, and returns the others', async () => {
    const place = await openSubmitted(9, [rule('tokens=20 rate=20')]);
    const { ended, device, freeze } = place.work({ concurrency: '2' });
    const { queue } = place.batch('p');
    await expect.poll(async () => (await queue.counts()).active).toBe(2);
    freeze();
    device.terminate();
    await expect(ended).rejects.toMatchObject({ kind: 'unfinished' });
    expect(await queue.counts()).toMatchObject({ answered: 2, waiting: 7, active: 0 });
  });

  test('--wait keeps the worker until a signal ends it', async () => {
    const place = await openSubmitted(1);
    const { ended, device } = place.work({ wait: true });
    const { queue } = place.batch('p');
    await expect.poll(async () => (await queue.counts()).answered).toBe(1);
    place.write('p.txt', promptLines(2));
    await place.submit('p.txt');
    await expect.poll(async () => (await queue.counts()).answered).toBe(2);
    device.approachTimeLimit();
    await ended;
  });

  test('--rpm sets the rate of all workers', async () => {
    const place = await openSubmitted(1);
    await place.work({ rpm: '600' }).ended;
    expect(place.batch('p').log).toEqual(['rate none', 'rate 600']);
  });

  test('a pause that the service requests applies to all workers', async () => {
    const place = await openSubmitted(1, [rule('status=429 retry-after=3 times=1')]);
    const { ended } = place.work();
    const batch = place.batch('p');
    await expect.poll(() => batch.log.at(-1)).toBe('pause 3000');
    batch.retryDelayed();
    await ended;
  });
});

describe('an answer that the queue refuses', () => {
  test('is stored when the queue accepts it again', async () => {
    const place = await openSubmitted(2);
    const batch = place.batch('p');
    batch.refuse = new Error('OOM command not allowed');
    const { ended, stderr } = place.work();
    await expect.poll(stderr).toContain('the queue reports: OOM command not allowed');
    batch.refuse = undefined;
    await ended;
    expect(await batch.queue.counts()).toMatchObject({ answered: 2, active: 0 });
    expect(place.asked.length).toBe(2);
  });

  test('waits with many others without a warning of Node about listeners', async () => {
    const warnings = nodeWarnings();
    const place = await openSubmitted(20);
    const batch = place.batch('p');
    batch.refuse = new Error('OOM command not allowed');
    const { ended, stderr } = place.work({ concurrency: '20' });
    await expect.poll(stderr).toContain('the queue reports: OOM command not allowed');
    await expect.poll(() => place.asked.length).toBe(20);
    batch.refuse = undefined;
    await ended;
    expect(warnings).toEqual([]);
  });

  test('goes into a file when the worker is ended', async () => {
    const place = await openSubmitted(2, [], { batch: 'lost-answers' });
    const batch = place.batch('lost-answers');
    const file = 'lost-answers-unsaved.jsonl';
    onTestFinished(() => rmSync(file, { force: true }));
    batch.refuse = 'silent';
    const { ended, stderr, abort } = place.work();
    const stored = () => batch.log.filter((line) => line.startsWith('silent')).length;
    await expect.poll(stored).toBe(2);
    abort(new Error('ended'));
    await expect(ended).rejects.toThrow('ended');
    expect(stderr()).toContain(`2 results could not be stored in the queue and went into ${file}`);
    expect(existsSync(file)).toBe(true);
    const saved = readFileSync(file, 'utf8').trim().split('\n');
    expect(saved.map((line) => (JSON.parse(line) as { content: string }).content).sort()).toEqual([
      'prompt 1',
      'prompt 2',
    ]);
  });

  test('goes into a file when the connection is lost for ten minutes', async () => {
    const place = await openSubmitted(1, [], { batch: 'lost-queue' });
    const file = 'lost-queue-unsaved.jsonl';
    onTestFinished(() => rmSync(file, { force: true }));
    place.batch('lost-queue').refuse = 'silent';
    const { ended } = place.work();
    await expect.poll(() => place.asked.length).toBe(1);
    place.lose();
    await expect(ended).rejects.toMatchObject({ kind: 'unfinished' });
    expect(readFileSync(file, 'utf8')).toContain('"content":"prompt 1"');
  });
});

test.each([
  [undefined, [], 'not_found', /has no batch$/],
  ['c', ['a', 'b'], 'not_found', /has no batch c; it has a, b$/],
  [undefined, ['a', 'b'], 'usage', /has several batches$/],
])('the batch of a worker named %s among %j is %s', async (batch, names, kind, message) => {
  const place = await openQueuePlace();
  place.write('p.txt', 'one\n');
  for (const name of names) await place.submit('p.txt', { batch: name });
  const failure = { kind, message: expect.stringMatching(message) as string };
  await expect(place.work(batch === undefined ? {} : { batch }).ended).rejects.toMatchObject(
    failure,
  );
});

test('the schema of a submission is sent and checked by workers', async () => {
  const place = await openQueuePlace([saying('{"mood":"good"}', 'times=1'), saying('glad')]);
  place.write('p.txt', 'one\ntwo\n');
  const select = '/mood';
  await place.submit('p.txt', { schema: 'mood good|bad', schemaRetries: '0', select });
  const summary = place.path('run.json');
  const { ended } = place.work({ summary, concurrency: '1' });
  await expect(ended).rejects.toMatchObject({ kind: 'mismatch' });
  expect(place.asked[0]).toMatch(/^one\n\nAnswer with one JSON value/);
  const { queue } = place.batch('p');
  expect(await queue.header()).toMatchObject({ check: { retries: 0, select } });
  const [first, second] = await lines({ queue }, 1, 2);
  expect(first).toMatchObject({ value: { mood: 'good' }, selected: 'good', violations: [] });
  expect(second).toMatchObject({ content: 'glad', error: { kind: 'mismatch' } });
  expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({ exit_code: 13 });
});

test('the response_format of a submission does not travel, because workers use their own', async () => {
  const place = await openSubmitted('one\n', [saying('{"mood":"bad"}')], {
    schema: 'mood good|bad',
    responseFormat: 'json_object',
  });
  expect((await place.batch('p').queue.header())?.params).toEqual({});
});
