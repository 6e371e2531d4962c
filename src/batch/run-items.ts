import type { Concurrency, Slot } from './concurrency.ts';

export interface ItemsRun<Item> {
  /** Reads them until `ended` aborts: when `stop` does, or `work` rejects. */
  readonly items: (ended: AbortSignal) => AsyncIterable<Item>;
  readonly concurrency: Concurrency;
  /** No item starts after it aborts; running items finish. */
  readonly stop: AbortSignal;
  /** A promise while the output is full: no item starts meanwhile. */
  readonly room: () => Promise<void> | undefined;
  /**
   * Does one item; `sequence` counts those begun, from 0. Rejects only for what ends the whole run.
   */
  readonly work: (item: Item, sequence: number, slot: Slot) => Promise<boolean>;
}

/** After a stop, the result that would make room may never come. */
async function roomUnlessStopped(stop: AbortSignal, room: Promise<void>): Promise<void> {
  let giveUp: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (giveUp = resolve));
  stop.addEventListener('abort', giveUp);
  try {
    if (!stop.aborted) await Promise.race([room, stopped]);
  } finally {
    stop.removeEventListener('abort', giveUp);
  }
}

/**
 * Runs items concurrently and waits for all started ones.
 * @throws what `items` throws, or the first thing that `work` throws
 */
export async function runItems<Item>(run: ItemsRun<Item>): Promise<void> {
  const { items, concurrency, stop, room, work } = run;
  const ending = new AbortController();
  const ended = AbortSignal.any([stop, ending.signal]);
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const begin = async (item: Item, sequence: number, slot: Slot) => {
    let isAnswered = false;
    try {
      isAnswered = await work(item, sequence, slot);
    } catch (error) {
      failures.push(error);
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
      const one = begin(item, sequence, slot).finally(() => underWay.delete(one));
      underWay.add(one);
      sequence += 1;
    }
  } catch (error) {
    if (!ended.aborted) failures.push(error);
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
