import { describe, expect, test } from 'vitest';
import { createConcurrency } from '../../src/batch/concurrency.ts';
import { runItems } from '../../src/batch/run-items.ts';
import { createFakeClock } from '../support/fake-clock.ts';

async function* numbers(count: number) {
  for (let number = 0; number < count; number += 1) yield number;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function prepare(most: number) {
  const begun: number[] = [];
  const ending = new Map<number, () => void>();
  const stopping = new AbortController();
  const run = (count: number, room: () => Promise<void> | undefined = () => undefined) =>
    runItems({
      items: () => numbers(count),
      concurrency: createConcurrency(most, createFakeClock()),
      stop: stopping.signal,
      room,
      work: (item) => {
        begun.push(item);
        return new Promise((resolve) => ending.set(item, () => resolve(true)));
      },
    });
  const end = async (item: number) => {
    ending.get(item)?.();
    await turn();
  };
  return { begun, run, end, stop: () => stopping.abort() };
}

describe('items', () => {
  test('are done side by side, the next as soon as one ends', async () => {
    const { begun, run, end } = prepare(2);
    const running = run(4);
    await turn();
    expect(begun).toEqual([0, 1]);
    await end(1);
    expect(begun).toEqual([0, 1, 2]);
    for (const item of [0, 2, 3]) await end(item);
    await running;
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('under way are waited for when no more are to be begun', async () => {
    const { begun, run, end, stop } = prepare(2);
    let isOver = false;
    const running = run(9).then(() => (isOver = true));
    await turn();
    stop();
    await end(0);
    expect({ begun, isOver }).toEqual({ begun: [0, 1], isOver: false });
    await end(1);
    await running;
  });

  test('that wait for room are given up with all others', async () => {
    const { begun, run, stop } = prepare(4);
    const running = run(9, () => new Promise<never>(() => undefined));
    await turn();
    stop();
    await running;
    expect(begun).toEqual([]);
  });

  test('wait while the results have no room', async () => {
    const { begun, run, end } = prepare(4);
    let makeRoom: () => void = () => undefined;
    const full = new Promise<void>((resolve) => (makeRoom = resolve));
    const running = run(2, () => (begun.length === 1 ? full : undefined));
    await turn();
    expect(begun).toEqual([0]);
    makeRoom();
    await turn();
    expect(begun).toEqual([0, 1]);
    await end(0);
    await end(1);
    await running;
  });

  test('that end the run let the others finish, and its error is thrown', async () => {
    const done: number[] = [];
    const running = runItems({
      items: () => numbers(9),
      concurrency: createConcurrency(2, createFakeClock()),
      stop: new AbortController().signal,
      room: () => undefined,
      async work(item) {
        await turn();
        if (item === 0) throw new Error('the disk is full');
        await turn();
        done.push(item);
        return true;
      },
    });
    await expect(running).rejects.toThrow('the disk is full');
    expect(done).toEqual([1]);
  });

  test('under way are waited for when the input cannot be read on', async () => {
    const done: number[] = [];
    async function* broken() {
      yield 0;
      throw new Error('cannot read');
    }
    const running = runItems({
      items: broken,
      concurrency: createConcurrency(2, createFakeClock()),
      stop: new AbortController().signal,
      room: () => undefined,
      async work(item) {
        await turn();
        done.push(item);
        return true;
      },
    });
    await expect(running).rejects.toThrow('cannot read');
    expect(done).toEqual([0]);
  });
});
