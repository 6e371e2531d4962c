interface ItemsRun<Item, Permission> {
  /** In blocks. `ended` aborts when `stop` aborts or `work` rejects. */
  readonly items: (ended: AbortSignal) => AsyncIterable<readonly Item[]>;
  /** Waits until the item may start. @returns undefined if `ended` aborts first, or to start no more items */
  readonly admit: (
    item: Item,
    sequence: number,
    ended: AbortSignal,
  ) => Promise<Permission | undefined> | Permission | undefined;
  /** Prevents new items from starting; running ones finish. */
  readonly stop: AbortSignal;
  /** A promise while the output buffer is full; new items wait for it. */
  readonly room: () => Promise<void> | undefined;
  /** Runs one item; `sequence` is its number in start order, from 0. A rejection ends the whole run. */
  readonly work: (item: Item, sequence: number, permission: Permission) => Promise<void>;
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
export async function runItems<Item, Permission>(run: ItemsRun<Item, Permission>): Promise<void> {
  const { items, admit, stop, room, work } = run;
  const ending = new AbortController();
  const ended = AbortSignal.any([stop, ending.signal]);
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const runOne = async (item: Item, sequence: number, permission: Permission) => {
    try {
      await work(item, sequence, permission);
    } catch (error) {
      errors.push(error);
      ending.abort();
    }
  };
  const startAll = async () => {
    let sequence = 0;
    for await (const block of items(ended)) {
      for (const item of block) {
        const space = room();
        if (space !== undefined) await roomUnlessStopped(ended, space);
        const permission = await admit(item, sequence, ended);
        if (permission === undefined) return;
        const task = runOne(item, sequence, permission);
        running.add(task);
        void task.then(() => running.delete(task));
        sequence += 1;
      }
    }
  };
  try {
    await startAll();
  } catch (error) {
    if (!ended.aborted) errors.push(error);
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}
