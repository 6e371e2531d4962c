import type { BatchQueue, QueueConnection, QueueCounts } from '../../../batch/queue/batch-queue.ts';
import type { Clock } from '../../../clock.ts';
import type { Notices } from '../../../output/notices.ts';
import { errorCode } from '../../../storage/storage-failure.ts';

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
