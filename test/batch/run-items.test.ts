import { describe, expect, test } from 'vitest';
import { runItems } from '../../src/batch/run-items.ts';

async function* numbers(count: number) {
  for (let number = 0; number < count; number += 1) yield number;
}

type Release = () => void;

/** Admits `most` items at the same time, until `stop` aborts. */
function admitting(most: number, stop: AbortSignal) {
  let open = 0;
  let wake: () => void = () => undefined;
  stop.addEventListener('abort', () => wake());
  const release = () => {
    open -= 1;
    wake();
  };
  return async (): Promise<Release | undefined> => {
    // One item waits at a time.
    if (open === most && !stop.aborted) await new Promise<void>((resolve) => (wake = resolve));
    if (stop.aborted) return undefined;
    open += 1;
    return release;
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function prepare(most: number) {
  const started: number[] = [];
  const finishers = new Map<number, () => void>();
  const controller = new AbortController();
  const run = (count: number, room: () => Promise<void> | undefined = () => undefined) =>
    runItems({
      items: numbers(count),
      admit: admitting(most, controller.signal),
      stop: controller.signal,
      halt: () => controller.abort(),
      room,
      async work(item, _sequence, release) {
        started.push(item);
        await new Promise<void>((resolve) => finishers.set(item, resolve));
        release();
      },
    });
  const finish = async (item: number) => {
    finishers.get(item)?.();
    await nextTurn();
  };
  return { started, run, finish, stop: () => controller.abort() };
}

describe('items', () => {
  test('run concurrently, the next as soon as one finishes', async () => {
    const { started, run, finish } = prepare(2);
    const running = run(4);
    await nextTurn();
    expect(started).toEqual([0, 1]);
    await finish(1);
    expect(started).toEqual([0, 1, 2]);
    for (const item of [0, 2, 3]) await finish(item);
    await running;
    expect(started).toEqual([0, 1, 2, 3]);
  });

  test('that run are finished after a stop', async () => {
    const { started, run, finish, stop } = prepare(2);
    let isOver = false;
    const running = run(9).then(() => (isOver = true));
    await nextTurn();
    stop();
    await finish(0);
    expect({ started, isOver }).toEqual({ started: [0, 1], isOver: false });
    await finish(1);
    await running;
  });

  test('that wait for room do not start after a stop', async () => {
    const { started, run, stop } = prepare(4);
    const running = run(9, () => new Promise<never>(() => undefined));
    await nextTurn();
    stop();
    await running;
    expect(started).toEqual([]);
  });

  test('wait while the output buffer is full', async () => {
    const { started, run, finish } = prepare(4);
    let makeRoom: () => void = () => undefined;
    const full = new Promise<void>((resolve) => (makeRoom = resolve));
    const running = run(2, () => (started.length === 1 ? full : undefined));
    await nextTurn();
    expect(started).toEqual([0]);
    makeRoom();
    await nextTurn();
    expect(started).toEqual([0, 1]);
    await finish(0);
    await finish(1);
    await running;
  });

  test('that throw end the run after the others finish', async () => {
    const done: number[] = [];
    const controller = new AbortController();
    const running = runItems({
      items: numbers(9),
      admit: admitting(2, controller.signal),
      stop: controller.signal,
      halt: () => controller.abort(),
      room: () => undefined,
      async work(item: number, _sequence: number, release: Release) {
        await nextTurn();
        if (item === 0) throw new Error('the disk is full');
        await nextTurn();
        done.push(item);
        release();
      },
    });
    await expect(running).rejects.toThrow('the disk is full');
    expect(done).toEqual([1]);
  });

  test('that run are finished when reading the input fails', async () => {
    const done: number[] = [];
    async function* broken() {
      yield 0;
      throw new Error('cannot read');
    }
    const controller = new AbortController();
    const running = runItems({
      items: broken(),
      admit: admitting(2, controller.signal),
      stop: controller.signal,
      halt: () => controller.abort(),
      room: () => undefined,
      async work(item: number, _sequence: number, release: Release) {
        await nextTurn();
        done.push(item);
        release();
      },
    });
    await expect(running).rejects.toThrow('cannot read');
    expect(done).toEqual([0]);
  });
});
