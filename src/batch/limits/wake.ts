import type { Clock } from '../../clock.ts';

/** A wait that ends early. */
export interface Wake {
  /** Resolves after `milliseconds`, when `stop` aborts, or at the next `wake`. */
  wait(milliseconds: number, stop: AbortSignal): Promise<void>;
  wake(): void;
}

export function createWake(clock: Clock): Wake {
  let waking = new AbortController();
  return {
    async wait(milliseconds, stop) {
      waking = new AbortController();
      const { signal } = waking;
      const wake = () => waking.abort('woken');
      stop.addEventListener('abort', wake);
      try {
        await clock.sleep(milliseconds, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        stop.removeEventListener('abort', wake);
      }
    },
    wake: () => waking.abort('woken'),
  };
}
