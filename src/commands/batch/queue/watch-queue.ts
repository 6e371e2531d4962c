import fs from 'node:fs';
import type {
  BatchQueue,
  QueueConnection,
  QueueCounts,
  QueuedResult,
} from '../../../batch/queue/batch-queue.ts';
import type { Clock } from '../../../clock.ts';
import { Failure } from '../../../failure.ts';
import type { Notices } from '../../../output/notices.ts';
import { errorCode, failureReason } from '../../../storage/storage-failure.ts';

/** Milliseconds. */
const interval = 500;
/** Milliseconds without a connection after which a worker gives up. */
const longestOutage = 600_000;

interface QueueEvents {
  /** Ends the watch. */
  readonly stop: AbortSignal;
  readonly onDrained: () => void;
  /** The connection has been lost for `longestOutage`. */
  readonly onOutage: () => void;
}

export interface QueueWatch {
  /** Items without a result; undefined until they are counted. */
  left(): number | undefined;
  start(events: QueueEvents): void;
}

/** Items that a worker has or will get. */
export const openJobs = ({ waiting, active, delayed }: QueueCounts) => waiting + active + delayed;

/** Counts a queue's jobs twice a second. While the connection is lost, a count may never return. */
export function watchQueue(
  queue: BatchQueue,
  connection: QueueConnection,
  clock: Clock,
): QueueWatch {
  let left: number | undefined;
  let isCounting = false;
  let lostAt: number | undefined;
  const count = async ({ stop, onDrained }: QueueEvents) => {
    isCounting = true;
    try {
      left = openJobs(await queue.counts());
    } catch {
      // The connection was closed meanwhile, or the queue refuses all commands; the next count shows whether it lasts.
      left = undefined;
    }
    isCounting = false;
    if (left === 0 && !stop.aborted) onDrained();
  };
  const tick = (events: QueueEvents) => {
    if (connection.restored() === undefined) {
      lostAt = undefined;
      if (!isCounting) void count(events);
      return;
    }
    lostAt ??= clock.monotonic();
    if (clock.monotonic() - lostAt >= longestOutage) events.onOutage();
  };
  const run = async (events: QueueEvents) => {
    try {
      for (;;) {
        await clock.sleep(interval, events.stop);
        tick(events);
      }
    } catch (error) {
      if (!events.stop.aborted) throw error;
    }
  };
  return { left: () => left, start: (events) => void run(events) };
}

/** Reports an error of the queue, once. A lost lease or connection needs no words: BullMQ repeats both. */
export function refusedNotice(notices: Notices): (error: unknown) => void {
  const reported = new Set<string>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const isLost = errorCode(error) !== undefined || /lock|connection/i.test(message);
    if (isLost || reported.has(message)) return;
    reported.add(message);
    notices.warning(`the queue reports: ${message}`);
  };
}

/** Stores results in a queue; while that is not possible, it has them. */
export interface ResultKeeper {
  /** Resolves when the result is stored, or when `giveUp` aborts. */
  put(result: QueuedResult): Promise<void>;
  /** Results that are not stored. */
  unsaved(): readonly QueuedResult[];
}

/** Milliseconds before a result that the queue refused is stored again. */
const pause = 1000;

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** @param onRefused the queue refused a result; natter tries again */
export function createResultKeeper(
  queue: BatchQueue,
  clock: Clock,
  giveUp: AbortSignal,
  onRefused: (error: unknown) => void,
): ResultKeeper {
  const unsaved = new Set<QueuedResult>();
  const gaveUp = aborted(giveUp);
  const store = async (result: QueuedResult) => {
    while (!giveUp.aborted) {
      try {
        await queue.putResult(result);
        unsaved.delete(result);
        return;
      } catch (error) {
        if (giveUp.aborted) return;
        onRefused(error);
        await Promise.race([clock.sleep(pause), gaveUp]);
      }
    }
  };
  return {
    async put(result) {
      unsaved.add(result);
      await Promise.race([store(result), gaveUp]);
    },
    unsaved: () => [...unsaved],
  };
}

/** Appends results to a file. @throws Failure `storage` */
export function saveResults(file: string, results: readonly QueuedResult[]): void {
  try {
    fs.appendFileSync(file, results.map(({ line }) => `${line}\n`).join(''));
  } catch (error) {
    throw new Failure('storage', `cannot write ${file}: ${failureReason(error)}`, { cause: error });
  }
}
