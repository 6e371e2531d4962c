import type { BatchQueue, QueueConnection, QueueCounts } from '../../../batch/queue/batch-queue.ts';
import type { Clock } from '../../../clock.ts';

/** Milliseconds. */
const interval = 500;
/** Milliseconds without a connection after which a worker gives up. */
const longestOutage = 600_000;

export interface QueueWatchOptions {
  readonly queue: BatchQueue;
  readonly connection: QueueConnection;
  readonly clock: Clock;
  /** Ends the watch. */
  readonly stop: AbortSignal;
  readonly onDrained: () => void;
  /** The connection has been lost for `longestOutage`. */
  readonly onOutage: () => void;
}

export interface QueueWatch {
  /** Items without a result; undefined until they are counted. */
  readonly left: () => number | undefined;
}

/** Items that a worker has or will get. */
export const openJobs = ({ waiting, active, delayed }: QueueCounts) => waiting + active + delayed;

/** Counts a queue's jobs twice a second. While the connection is lost, a count may never return. */
export function watchQueue(options: QueueWatchOptions): QueueWatch {
  const { queue, connection, clock, stop, onDrained, onOutage } = options;
  let left: number | undefined;
  let isCounting = false;
  let lostAt: number | undefined;
  const count = async () => {
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
  const tick = () => {
    if (connection.restored() === undefined) {
      lostAt = undefined;
      if (!isCounting) void count();
      return;
    }
    lostAt ??= clock.monotonic();
    if (clock.monotonic() - lostAt >= longestOutage) onOutage();
  };
  const run = async () => {
    try {
      for (;;) {
        await clock.sleep(interval, stop);
        tick();
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  };
  void run();
  return { left: () => left };
}
