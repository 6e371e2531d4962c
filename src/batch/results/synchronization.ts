import type { Clock } from '../../clock.ts';

/** Brings what is written to a file onto the disk, beside other work. */
export interface Synchronization {
  /** Something was written: the disk has it a second later, or as soon as it can. */
  written(): void;
  /** What the disk refused so far; undefined while all is well. */
  refusal(): unknown;
  /** Begins nothing more, and waits for what is under way. Never rejects: see `refusal`. */
  end(): Promise<void>;
}

/** Milliseconds from one to the next: what a crash of the machine may cost, and what a slow disk is spared. */
const pause = 1000;

/** @param synchronize resolves when the disk has what was written before it was called; rejects when it cannot */
export function createSynchronization(
  synchronize: () => Promise<void>,
  clock: Pick<Clock, 'sleep'>,
): Synchronization {
  const ending = new AbortController();
  let isBehind = false;
  let refusal: unknown;
  let underWay: Promise<void> | undefined;
  const catchUp = async () => {
    try {
      while (isBehind && !ending.signal.aborted) {
        isBehind = false;
        await synchronize();
        await clock.sleep(pause, ending.signal);
      }
    } catch (error) {
      if (!ending.signal.aborted || error !== ending.signal.reason) refusal ??= error;
    } finally {
      underWay = undefined;
    }
  };
  return {
    written() {
      isBehind = true;
      if (refusal === undefined && !ending.signal.aborted) underWay ??= catchUp();
    },
    refusal: () => refusal,
    async end() {
      ending.abort();
      await underWay;
    },
  };
}
