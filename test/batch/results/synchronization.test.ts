import { expect, test } from 'vitest';
import { createSynchronization } from '../../../src/batch/results/result-file.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** A disk whose flushes last until `settle`. */
function open() {
  const clock = createFakeClock();
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let calls = 0;
  const flush = () => {
    calls += 1;
    return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const settle = async (error?: Error) => {
    const next = waiting.shift();
    if (error === undefined) next?.resolve();
    else next?.reject(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, settle, calls: () => calls, ...createSynchronization(flush, clock) };
}

test('the first write is flushed at once', () => {
  const disk = open();
  expect(disk.calls()).toBe(0);
  disk.written();
  expect(disk.calls()).toBe(1);
});

test('writes during a flush are flushed together a second later', async () => {
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

test('a slow disk has one flush at a time', async () => {
  const disk = open();
  disk.written();
  await disk.clock.advance(10_000);
  disk.written();
  expect(disk.calls()).toBe(1);
});

test('the end waits for the current flush, but not for the interval', async () => {
  const disk = open();
  disk.written();
  let isOver = false;
  const end = disk.end().then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  await disk.settle();
  await end;
  expect(disk.error()).toBeUndefined();
});

test('after an error, nothing more is flushed', async () => {
  const disk = open();
  const error = new Error('EIO');
  disk.written();
  await disk.settle(error);
  disk.written();
  await disk.end();
  expect([disk.error(), disk.calls()]).toEqual([error, 1]);
});

test('an error after the end began is reported', async () => {
  const disk = open();
  const error = new Error('EIO');
  disk.written();
  const end = disk.end();
  await disk.settle(error);
  await end;
  expect(disk.error()).toBe(error);
});
