import { startTimer, type Clock } from '../../clock.ts';

/** What waits with a time limit. */
export interface Waiting {
  /** Monotonic time; the timer sets it. */
  waitingSince: number;
  expire(): void;
}

/** One timer for all that wait with the same limit, because most never expire, and each timer costs time. */
export class SharedTimer {
  readonly #clock: Clock;
  readonly #limit: number;
  /** In ascending order of their start. Not a Map: its tables that were replaced make V8 keep what was in them. */
  readonly #waiting: Waiting[] = [];
  #stop: (() => void) | undefined;
  #isStopping = false;
  readonly #check = (): void => this.#expire();
  readonly #stopIfIdle = (): void => {
    this.#isStopping = false;
    if (this.#waiting.length === 0) this.#stopTimer();
  };

  /** @param limit milliseconds; 0 and `Infinity`: never */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit === 0 ? Infinity : limit;
  }

  add(one: Waiting): void {
    if (this.#limit === Infinity) return;
    one.waitingSince = this.#clock.monotonic();
    this.#waiting.push(one);
    this.#stop ??= startTimer(this.#clock, this.#limit, this.#check);
  }

  delete(one: Waiting): void {
    const index = this.#waiting.indexOf(one);
    if (index === 0) this.#waiting.shift();
    else if (index > 0) this.#waiting.splice(index, 1);
    if (index === -1 || this.#waiting.length > 0 || this.#isStopping) return;
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
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const left = this.#limit - (this.#clock.monotonic() - first.waitingSince);
      if (left > 0) {
        this.#stop ??= startTimer(this.#clock, left, this.#check);
        return;
      }
      this.#waiting.shift();
      first.expire();
    }
  }
}
