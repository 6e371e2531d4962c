import { expect, test } from 'vitest';
import type { JobOutcome, QueueJob } from '../../../src/batch/queue/batch-queue.ts';
import { createHandOver } from '../../../src/batch/queue/batch-queue.ts';

function job(index: number): QueueJob {
  const content = { messages: [{ role: 'user' as const, content: `prompt ${index}` }] };
  const item = { index, line: index, id: undefined, fingerprint: '0', content };
  return { item, starts: 1, isLastAttempt: false };
}

const answered: JobOutcome = { state: 'answered' };

test('jobs are taken in order, and end with their outcome', async () => {
  const { give, jobs } = createHandOver();
  const ended = new AbortController();
  const outcomes = Promise.all([give(job(1)), give(job(2))]);
  const taken: number[] = [];
  for await (const handed of jobs(ended.signal)) {
    taken.push(handed.job.item.index);
    handed.start();
    handed.end(answered);
    if (taken.length === 2) ended.abort();
  }
  expect(taken).toEqual([1, 2]);
  expect(await outcomes).toEqual([answered, answered]);
});

test('a job that is given later wakes the taker', async () => {
  const { give, jobs } = createHandOver();
  const next = jobs(new AbortController().signal).next();
  const outcome = give(job(7));
  const { value } = await next;
  value?.start();
  value?.end(answered);
  expect(await outcome).toEqual(answered);
});

test('an end while the taker waits ends the jobs', async () => {
  const { jobs } = createHandOver();
  const ended = new AbortController();
  const next = jobs(ended.signal).next();
  ended.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('a job that was not started is returned at the end, and so are later ones', async () => {
  const { give, jobs } = createHandOver();
  const started = give(job(1));
  const taken = give(job(2));
  const waiting = give(job(3));
  const taking = jobs(new AbortController().signal);
  const first = (await taking.next()).value;
  first?.start();
  await taking.next();
  await taking.return();
  expect(await taken).toEqual({ state: 'returned' });
  expect(await waiting).toEqual({ state: 'returned' });
  expect(await give(job(4))).toEqual({ state: 'returned' });
  first?.end(answered);
  expect(await started).toEqual(answered);
});
