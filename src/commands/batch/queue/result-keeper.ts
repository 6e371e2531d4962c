import fs from 'node:fs';
import type { BatchQueue, QueuedResult } from '../../../batch/queue/batch-queue.ts';
import type { Clock } from '../../../clock.ts';
import { Failure } from '../../../failure.ts';
import { failureReason } from '../../../storage/storage-failure.ts';

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
