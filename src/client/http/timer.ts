import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { formatLimit } from '../failure/format-duration.ts';

interface Alarm {
  /** Monotonic milliseconds. */
  readonly due: number;
  readonly onExpiry: () => void;
  /** Its index among the alarms; -1 if it is stopped. */
  at: number;
}

/** The limits on one clock share one sleep, because nearly all are stopped before they expire. */
class Alarms {
  readonly #clock: Clock;
  /** Not a Set: the tables that V8 replaces when it grows or shrinks keep its former values alive for long. */
  readonly #alarms: Alarm[] = [];
  #sleep: { readonly until: number; readonly end: AbortController } | undefined;

  #isEnding = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(milliseconds: number, onExpiry: () => void): () => void {
    const due = this.#clock.monotonic() + milliseconds;
    const alarm = { due, onExpiry, at: this.#alarms.length };
    this.#alarms.push(alarm);
    this.#sleepUntil(due);
    return () => {
      this.#remove(alarm);
      if (this.#alarms.length === 0) this.#endIdleSleep();
    };
  }

  /** The last alarm takes its place. @returns false if it was stopped */
  #remove(alarm: Alarm): boolean {
    const { at } = alarm;
    if (at === -1) return false;
    alarm.at = -1;
    const last = this.#alarms.pop();
    if (last === undefined || last === alarm) return true;
    last.at = at;
    this.#alarms[at] = last;
    return true;
  }

  #sleepUntil(due: number): void {
    if (this.#sleep !== undefined && this.#sleep.until <= due) return;
    this.#endSleep();
    this.#sleep = { until: due, end: new AbortController() };
    void this.#ring(this.#sleep.end.signal);
  }

  /** Later, because the next limit usually starts at once. */
  #endIdleSleep(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      if (this.#alarms.length === 0) this.#endSleep();
    });
  }

  #endSleep(): void {
    // With an explicit reason: Node takes milliseconds to create its first default one.
    this.#sleep?.end.abort('stopped');
    this.#sleep = undefined;
  }

  async #ring(ended: AbortSignal): Promise<void> {
    const wait = (this.#sleep?.until ?? 0) - this.#clock.monotonic();
    try {
      await this.#clock.sleep(wait, ended);
    } catch {
      // Stopped: a sleep fails for no other reason.
      return;
    }
    if (ended.aborted) return;
    this.#sleep = undefined;
    const now = this.#clock.monotonic();
    for (const alarm of this.#alarms.filter(({ due }) => due <= now)) {
      if (this.#remove(alarm)) alarm.onExpiry();
    }
    for (const { due } of this.#alarms) this.#sleepUntil(due);
  }
}

const alarmsOf = new WeakMap<Clock, Alarms>();

/** Calls `onExpiry` after `milliseconds` (0 and `Infinity`: never). Returns the stop function. */
export function startTimer(clock: Clock, milliseconds: number, onExpiry: () => void): () => void {
  if (milliseconds === 0 || milliseconds === Infinity) return () => {};
  const alarms = alarmsOf.get(clock) ?? new Alarms(clock);
  alarmsOf.set(clock, alarms);
  return alarms.start(milliseconds, onExpiry);
}

export interface IdleWatch {
  /** Data arrived. */
  touch(): void;
  /** The receiver is busy, so silence is not the sender's fault; `touch` resumes. */
  pause(): void;
  stop(): void;
}

/** Calls `onIdle` once after `limit` milliseconds without a touch (0 and `Infinity`: never), counted from now. */
export function watchIdle(clock: Clock, limit: number, onIdle: () => void): IdleWatch {
  let since = clock.monotonic();
  let paused = false;
  let stop = startTimer(clock, limit, check);
  // One timer for many touches: the silence is computed only when it expires.
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

/** One signal for the caller's abort and the total timeout. */
export interface Deadline {
  /** Aborts with the caller's reason, or with a Failure `unreachable` when the time is over. */
  readonly signal: AbortSignal;
  end(): void;
}

/** `limit` is milliseconds from now; 0 and `Infinity` are no limit. */
export function startDeadline(
  clock: Clock,
  limit: number,
  caller: AbortSignal | undefined,
): Deadline {
  if (limit === 0 || limit === Infinity) {
    return { signal: caller ?? new AbortController().signal, end() {} };
  }
  const controller = new AbortController();
  const follow = (): void => controller.abort(caller?.reason);
  if (caller?.aborted === true) follow();
  // Not AbortSignal.any, which keeps its sources alive on Node 20.
  caller?.addEventListener('abort', follow);
  const stopTimer = startTimer(clock, limit, () => controller.abort(totalTimedOut(limit)));
  return {
    signal: controller.signal,
    end() {
      stopTimer();
      caller?.removeEventListener('abort', follow);
    },
  };
}

function totalTimedOut(limit: number): Failure {
  return new Failure('unreachable', `the answer was not complete within ${formatLimit(limit)}`, {
    remedy: { code: 'raise-timeout', limit: 'totalTimeout' },
  });
}
