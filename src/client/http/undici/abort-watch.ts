/** What ends when a signal aborts. */
export interface Abortable {
  /** Ends with the reason of its signal. */
  abort(): void;
}

/** What runs with one signal. Its listener stays until the next turn of the event loop without any. */
class AbortWatch {
  readonly #signal: AbortSignal;
  /** Not a Set: its tables that were replaced make V8 keep what was in them. */
  readonly #running: Abortable[] = [];
  #isIdle = false;
  readonly #abort = (): void => {
    for (const one of this.#running.splice(0)) one.abort();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#abort);
  }

  add(one: Abortable): void {
    this.#running.push(one);
  }

  delete(one: Abortable): void {
    const running = this.#running;
    const index = running.indexOf(one);
    const last = index === -1 ? undefined : running.pop();
    if (last !== undefined && last !== one) running[index] = last;
    if (running.length > 0 || this.#isIdle) return;
    this.#isIdle = true;
    if (idle.push(this) === 1) setImmediate(removeIdle);
  }

  removeIfIdle(): void {
    this.#isIdle = false;
    if (this.#running.length > 0) return;
    this.#signal.removeEventListener('abort', this.#abort);
    watches.delete(this.#signal);
  }
}

/** One for each signal, because Node is slow to add and to remove a listener for each request. */
const watches = new WeakMap<AbortSignal, AbortWatch>();
/** Those with nothing that runs, in this turn of the event loop. */
let idle: AbortWatch[] = [];

function removeIdle(): void {
  const all = idle;
  idle = [];
  for (const watch of all) watch.removeIfIdle();
}

/** Calls `abort` once `signal` aborts, until `stopWatching`. */
export function watchAbort(signal: AbortSignal, one: Abortable): void {
  let watch = watches.get(signal);
  if (watch === undefined) {
    watch = new AbortWatch(signal);
    watches.set(signal, watch);
  }
  watch.add(one);
}

export function stopWatching(signal: AbortSignal, one: Abortable): void {
  watches.get(signal)?.delete(one);
}
