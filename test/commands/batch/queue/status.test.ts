import { expect, test } from 'vitest';
import { printStatus } from '../../../../src/commands/batch/queue/status-run.ts';
import { promptLines } from '../../../support/batch.ts';
import { createMemoryContext } from '../../../support/memory-context.ts';
import { openQueuePlace } from './queue-helpers.ts';

async function statusOf(names: readonly string[], options: { json?: boolean; batch?: string }) {
  const place = await openQueuePlace();
  place.write('p.txt', promptLines(3));
  for (const name of names) await place.submit('p.txt', { batch: name });
  const { context, stdout, stderr } = createMemoryContext();
  const all = { color: 'never', input: true, ...options } as const;
  await printStatus(context, all, async () => place.connection);
  return { stdout: stdout(), stderr: stderr() };
}

test('natter batch status prints a row for each batch', async () => {
  const { stdout } = await statusOf(['b', 'a'], {});
  expect(stdout).toBe('a\t3\t0\t0\t3\t0\t0\t0/min\t0\nb\t3\t0\t0\t3\t0\t0\t0/min\t0\n');
});

test('natter batch status --json --batch prints one batch', async () => {
  const { stdout } = await statusOf(['a', 'b'], { json: true, batch: 'b' });
  expect(JSON.parse(stdout)).toEqual([
    {
      batch: 'b',
      items: 3,
      answered: 0,
      failed: 0,
      waiting: 3,
      active: 0,
      delayed: 0,
      answered_last_minute: 0,
      workers: 0,
    },
  ]);
});

test('natter batch status reports a queue without batches', async () => {
  const { stdout, stderr } = await statusOf([], {});
  expect(stdout).toBe('');
  expect(stderr).toBe('natter: the queue at redis://queue.test:6379/0 has no batch\n');
});

test('natter batch status does not find a batch that does not exist', async () => {
  await expect(statusOf(['a'], { batch: 'b' })).rejects.toMatchObject({ kind: 'not_found' });
});
