import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../../src/sandbox/faults/fault-rules.ts';
import { rule } from '../../../sandbox/sandbox-helpers.ts';
import { openQueuePlace } from './queue-helpers.ts';

const lines = (results: readonly ({ line: string } | undefined)[]) =>
  results.map((result) => JSON.parse(result?.line ?? '{}') as Record<string, unknown>);

function saying(content: string, condition = ''): FaultRule {
  const message = { role: 'assistant', content };
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
  return rule(`body=${JSON.stringify(body)} content-type=application/json ${condition}`);
}

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
  const [first, second] = lines(await queue.results([1, 2]));
  expect(first).toMatchObject({ value: { mood: 'good' }, selected: 'good', violations: [] });
  expect(second).toMatchObject({ content: 'glad', error: { kind: 'mismatch' } });
  expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({ exit_code: 13 });
});

test('a worker asks again for an answer that does not conform', async () => {
  const place = await openQueuePlace([saying('glad', 'times=1'), saying('{"mood":"bad"}')]);
  place.write('p.txt', 'one\n');
  await place.submit('p.txt', { schema: 'mood good|bad' });
  await place.work().ended;
  expect(place.asked).toHaveLength(2);
  const [first] = lines(await place.batch('p').queue.results([1]));
  expect(first).toMatchObject({ value: { mood: 'bad' } });
});

test('the response_format of a submission does not travel, because workers use their own', async () => {
  const place = await openQueuePlace([saying('{"mood":"bad"}')]);
  place.write('p.txt', 'one\n');
  await place.submit('p.txt', { schema: 'mood good|bad', responseFormat: 'json_object' });
  expect((await place.batch('p').queue.header())?.params).toEqual({});
});
