import { expect, test } from 'vitest';
import { createSynchronization } from '../../../src/batch/results/synchronization.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** A disk that takes until it is told that it is done. */
function open() {
  const clock = createFakeClock();
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let calls = 0;
  const synchronize = () => {
    calls += 1;
    return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const settle = async (error?: Error) => {
    const next = waiting.shift();
    if (error === undefined) next?.resolve();
    else next?.reject(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, settle, calls: () => calls, ...createSynchronization(synchronize, clock) };
}

test('what is written is on its way to the disk at once', () => {
  const disk = open();
  expect(disk.calls()).toBe(0);
  disk.written();
  expect(disk.calls()).toBe(1);
});

test('what is written meanwhile follows a second later, together', async () => {
  const disk = open();
  for (let line = 0; line < 5; line += 1) disk.written();
  await disk.settle();
  await disk.clock.advance(999);
  expect(disk.calls()).toBe(1);
  await disk.clock.advance(1);
  expect(disk.calls()).toBe(2);
  await disk.settle();
  await disk.clock.advance(5000);
  expect(disk.calls()).toBe(2);
  disk.written();
  expect(disk.calls()).toBe(3);
});

test('a slow disk gets one request at a time', async () => {
  const disk = open();
  disk.written();
  await disk.clock.advance(10_000);
  disk.written();
  expect(disk.calls()).toBe(1);
});

test('the end waits for what is under way, and for no pause', async () => {
  const disk = open();
  disk.written();
  let isOver = false;
  const end = disk.end().then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  await disk.settle();
  await end;
  expect(disk.refusal()).toBeUndefined();
});

test('a refusal is kept, and nothing more is tried', async () => {
  const disk = open();
  const error = new Error('EIO');
  disk.written();
  await disk.settle(error);
  disk.written();
  await disk.end();
  expect([disk.refusal(), disk.calls()]).toEqual([error, 1]);
});

test('an error of the disk that arrives after the end began is kept', async () => {
  const disk = open();
  const error = new Error('EIO');
  disk.written();
  const end = disk.end();
  await disk.settle(error);
  await end;
  expect(disk.refusal()).toBe(error);
});
