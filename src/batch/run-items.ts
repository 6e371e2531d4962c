export interface ItemsRun<Item, Permission> {
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

/** The items that were started. */
class Started {
  readonly errors: unknown[] = [];
  readonly #onError: () => void;
  #running = 0;
  #wake: (() => void) | undefined;

  constructor(onError: () => void) {
    this.#onError = onError;
  }

  add(task: Promise<void>): void {
    this.#running += 1;
    task.then(this.#end, this.#fail);
  }

  /** Resolves when all are finished. */
  async finished(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  readonly #end = (): void => {
    this.#running -= 1;
    if (this.#running === 0) this.#wake?.();
  };

  readonly #fail = (error: unknown): void => {
    this.errors.push(error);
    this.#onError();
    this.#end();
  };
}

async function startItems<Item, Permission>(
  { items, admit, room, work }: ItemsRun<Item, Permission>,
  started: Started,
  ended: AbortSignal,
): Promise<void> {
  let sequence = 0;
  for await (const block of items(ended)) {
    for (const item of block) {
      const space = room();
      if (space !== undefined) await roomUnlessStopped(ended, space);
      const admitted = admit(item, sequence, ended);
      const permission = admitted instanceof Promise ? await admitted : admitted;
      if (permission === undefined) return;
      started.add(work(item, sequence, permission));
      sequence += 1;
    }
  }
}

/** Ends when all started items are finished. @throws the first error of `items` or `work` */
export async function runItems<Item, Permission>(run: ItemsRun<Item, Permission>): Promise<void> {
  const ending = new AbortController();
  const ended = AbortSignal.any([run.stop, ending.signal]);
  const started = new Started(() => ending.abort());
  try {
    await startItems(run, started, ended);
  } catch (error) {
    if (!ended.aborted) started.errors.push(error);
  }
  await started.finished();
  if (started.errors.length > 0) throw started.errors[0];
}
