import type { Clock } from '../../clock.ts';
import { startTimer } from './timer.ts';

/** What waits with a time limit. */
export interface Waiting {
  expire(): void;
}

/** One timer for all that wait with the same limit, because most never expire, and each timer costs time. */
export class SharedTimer {
  readonly #clock: Clock;
  readonly #limit: number;
  /** With the start of each, in ascending order. */
  readonly #waiting = new Map<Waiting, number>();
  #stop: (() => void) | undefined;
  #isStopping = false;
  readonly #check = (): void => this.#expire();
  readonly #stopIfIdle = (): void => {
    this.#isStopping = false;
    if (this.#waiting.size === 0) this.#stopTimer();
  };

  /** @param limit milliseconds; 0 and `Infinity`: never */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit === 0 ? Infinity : limit;
  }

  add(one: Waiting): void {
    if (this.#limit === Infinity) return;
    this.#waiting.set(one, this.#clock.monotonic());
    this.#stop ??= startTimer(this.#clock, this.#limit, this.#check);
  }

  delete(one: Waiting): void {
    const wasLast = this.#waiting.delete(one) && this.#waiting.size === 0;
    if (!wasLast || this.#isStopping) return;
    // The next one often begins in this turn of the event loop.
    this.#isStopping = true;
    setImmediate(this.#stopIfIdle);
  }

  #stopTimer(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #expire(): void {
    this.#stop = undefined;
    for (const [one, start] of this.#waiting) {
      const left = this.#limit - (this.#clock.monotonic() - start);
      if (left > 0) {
        this.#stop = startTimer(this.#clock, left, this.#check);
        return;
      }
      this.#waiting.delete(one);
      one.expire();
    }
  }
}
