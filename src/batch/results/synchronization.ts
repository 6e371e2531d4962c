import type { Clock } from '../../clock.ts';

/** Flushes the writes to a file to the disk in the background. */
export interface Synchronization {
  /** Reports a write: it is on the disk about a second later. */
  written(): void;
  /** The first error of a flush; undefined without one. */
  error(): unknown;
  /** Starts no more flushes and waits for the current one. Never rejects, see `error`. */
  end(): Promise<void>;
}

/** Milliseconds between two flushes: a machine crash loses at most these writes, and a slow disk is not overloaded. */
const interval = 1000;

/** @param flush resolves when all earlier writes are on the disk */
export function createSynchronization(flush: () => Promise<void>, clock: Clock): Synchronization {
  const ending = new AbortController();
  let isPending = false;
  let firstError: unknown;
  let running: Promise<void> | undefined;
  const flushPending = async () => {
    try {
      while (isPending && !ending.signal.aborted) {
        isPending = false;
        await flush();
        await clock.sleep(interval, ending.signal);
      }
    } catch (error) {
      if (!ending.signal.aborted || error !== ending.signal.reason) firstError ??= error;
    } finally {
      running = undefined;
    }
  };
  return {
    written() {
      isPending = true;
      if (firstError === undefined && !ending.signal.aborted) running ??= flushPending();
    },
    error: () => firstError,
    async end() {
      ending.abort();
      await running;
    },
  };
}
