import { aborted } from 'node:util';

/** Ends when all started items are finished. @throws the first error of `items` or `work` */
export async function runItems<Item, Permission>(run: {
  /** The items, which are taken until `stop` aborts. */
  readonly items: AsyncIterable<Item>;
  /** Waits until the item may start. @returns undefined to start no more items */
  readonly admit: (item: Item, sequence: number) => Promise<Permission | undefined>;
  /** A promise while the output buffer is full; new items wait for it. */
  readonly room: () => Promise<void> | undefined;
  /** Runs one item; `sequence` is its number in start order, from 0. A rejection ends the whole run. */
  readonly work: (item: Item, sequence: number, permission: Permission) => Promise<void>;
  /** Prevents new items from starting; running ones finish. */
  readonly stop: AbortSignal;
  /** Aborts `stop` after an error. */
  readonly halt: () => void;
}): Promise<void> {
  const { items, admit, room, work, stop, halt } = run;
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const fail = (error: unknown) => {
    errors.push(error);
    halt();
  };
  try {
    let sequence = 0;
    for await (const item of items) {
      const space = room();
      // The result that the output waits for may never arrive after a stop.
      if (space !== undefined) await Promise.race([space, aborted(stop, space)]);
      const permission = await admit(item, sequence);
      if (permission === undefined) break;
      const task: Promise<void> = work(item, sequence, permission)
        .catch(fail)
        .finally(() => running.delete(task));
      running.add(task);
      sequence += 1;
    }
  } catch (error) {
    if (!stop.aborted) fail(error);
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}
