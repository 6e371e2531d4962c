import type { Concurrency, Slot } from './concurrency.ts';

export interface ItemsRun<Item> {
  /** `ended` aborts when `stop` aborts or `work` rejects. */
  readonly items: (ended: AbortSignal) => AsyncIterable<Item>;
  readonly concurrency: Concurrency;
  /** Prevents new items from starting; running ones finish. */
  readonly stop: AbortSignal;
  /** A promise while the output buffer is full; new items wait for it. */
  readonly room: () => Promise<void> | undefined;
  /**
   * Runs one item; `sequence` is its number in start order, from 0. A rejection ends the whole run.
   * @returns whether the item was answered
   */
  readonly work: (item: Item, sequence: number, slot: Slot) => Promise<boolean>;
}

/** After a stop, the result that the output waits for may never arrive. */
async function roomUnlessStopped(stop: AbortSignal, room: Promise<void>): Promise<void> {
  let onStop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (onStop = resolve));
  stop.addEventListener('abort', onStop);
  try {
    if (!stop.aborted) await Promise.race([room, stopped]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

/** Ends when all started items are finished. @throws the first error of `items` or `work` */
export async function runItems<Item>(run: ItemsRun<Item>): Promise<void> {
  const { items, concurrency, stop, room, work } = run;
  const ending = new AbortController();
  const ended = AbortSignal.any([stop, ending.signal]);
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const start = async (item: Item, sequence: number, slot: Slot) => {
    let isAnswered = false;
    try {
      isAnswered = await work(item, sequence, slot);
    } catch (error) {
      errors.push(error);
      ending.abort();
    } finally {
      slot.release(isAnswered);
    }
  };
  let sequence = 0;
  try {
    for await (const item of items(ended)) {
      const space = room();
      if (space !== undefined) await roomUnlessStopped(ended, space);
      const slot = await concurrency.take(ended);
      if (slot === undefined) break;
      const task = start(item, sequence, slot).finally(() => running.delete(task));
      running.add(task);
      sequence += 1;
    }
  } catch (error) {
    if (!ended.aborted) errors.push(error);
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}
