import type { Clock } from '../../clock.ts';

/**
 * Runs `onExpiry` once after `milliseconds`, unless stopped before; 0 and `Infinity` never expire. Returns the stop
 * function.
 */
export function startTimer(clock: Clock, milliseconds: number, onExpiry: () => void): () => void {
  if (milliseconds === 0 || milliseconds === Infinity) return () => {};
  const stopping = new AbortController();
  async function expire(): Promise<void> {
    try {
      await clock.sleep(milliseconds, stopping.signal);
    } catch {
      // Stopped: the only reason a sleep fails.
      return;
    }
    if (!stopping.signal.aborted) onExpiry();
  }
  void expire();
  // With a reason of its own: Node takes milliseconds to make its first one.
  return () => stopping.abort('stopped');
}

/** Watches that something keeps coming in. */
export interface IdleWatch {
  /** Something came. */
  touch(): void;
  /** Nobody is listening for now, so silence is not the sender's fault; `touch` resumes. */
  pause(): void;
  stop(): void;
}

/** Runs `onIdle` once when nothing came for `limit` milliseconds (0 and `Infinity`: never), measured from now. */
export function watchIdle(clock: Clock, limit: number, onIdle: () => void): IdleWatch {
  let since = clock.monotonic();
  let paused = false;
  let stop = startTimer(clock, limit, check);
  // One timer for many touches: whether it is due is looked at only when it expires.
  function check(): void {
    const silence = paused ? 0 : clock.monotonic() - since;
    if (silence >= limit) onIdle();
    else stop = startTimer(clock, limit - silence, check);
  }
  return {
    touch() {
      paused = false;
      since = clock.monotonic();
    },
    pause() {
      paused = true;
    },
    stop: () => stop(),
  };
}
