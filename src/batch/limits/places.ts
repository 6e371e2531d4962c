import { type Clock, startTimer } from '../../clock.ts';
import type { AnnouncedLimits } from './announced-limits.ts';
import { type FoundLimits, LimitController } from './limit-controller.ts';
import type { RateLimit } from './rate-limit.ts';

/** The permission to send one request. */
export interface Place {
  /** The service refused the request. @param retryAfter milliseconds; undefined without a Retry-After */
  refuse(retryAfter: number | undefined): void;
  /** The head of a response arrived. */
  announce(limits: AnnouncedLimits): void;
  /** The request ended; without effect after a refusal. */
  release(): void;
}

/** What waits for a place. */
interface PlaceRequest {
  /** Requests with a lower one are sent first. */
  readonly order: number;
  /** For the rate limit. */
  readonly tokens: number;
  /** Milliseconds until the request may be sent. */
  readonly wait: number;
}

interface Waiter {
  readonly order: number;
  readonly tokens: number;
  /** Monotonic milliseconds. */
  readonly notBefore: number;
  readonly stop: AbortSignal;
  readonly grant: (place: Place | undefined) => void;
}

interface PlacesOptions {
  /** Places at the same time. */
  readonly most: number;
  readonly clock: Clock;
  /** A limit of the user. */
  readonly rateLimit: RateLimit | undefined;
  /** Items without a result; undefined if unknown. */
  readonly left?: () => number | undefined;
  /** Gets the milliseconds of a pause of all requests. */
  readonly onPause: (wait: number) => void;
}

/** Milliseconds; a timer that is due earlier by less serves as well. */
const precision = 1;

/**
 * Gives out places as fast as the service allows.
 *
 * - Never more than `most` are open.
 * - While requests wait, a timer or an open place will grant the next one.
 * - Among the requests that may be sent, the one with the lowest order is first.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #controller: LimitController;
  /** By their order. */
  #waiters: Waiter[] = [];
  readonly #watched = new Set<AbortSignal>();
  #open = 0;
  /** The user's limit delays a request. */
  #isPaying = false;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  /** The end of the pause that was reported last. */
  #pauseEnd = Number.NEGATIVE_INFINITY;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#controller = new LimitController(options.most, options.left);
  }

  /** @returns undefined when `stop` aborts */
  take(request: PlaceRequest, stop: AbortSignal): Promise<Place | undefined> | Place | undefined {
    if (stop.aborted) return undefined;
    const now = this.#options.clock.monotonic();
    if (this.#isFree(request, now)) return this.#openPlace(now);
    this.#watch(stop);
    return new Promise((grant) => {
      const { order, tokens, wait } = request;
      const waiter = { order, tokens, notBefore: now + wait, stop, grant };
      const after = this.#waiters.findIndex((one) => one.order > order);
      this.#waiters.splice(after === -1 ? this.#waiters.length : after, 0, waiter);
      this.#grantPlaces(now);
    });
  }

  /** Requests in progress. */
  open(): number {
    return this.#open;
  }

  found(): FoundLimits {
    return this.#controller.found();
  }

  /** Milliseconds until the next request may be sent, if none is in progress; else 0. */
  pauseRemaining(): number {
    if (this.#timer === undefined || this.#open > 0) return 0;
    return Math.max(0, this.#timer.at - this.#options.clock.monotonic());
  }

  /** Whether the request need not wait. */
  #isFree({ wait }: PlaceRequest, now: number): boolean {
    const { most, rateLimit } = this.#options;
    if (wait > 0 || this.#open >= most || rateLimit !== undefined) return false;
    return this.#waiters.length === 0 && this.#controller.delay(now) <= 0;
  }

  #openPlace(begun: number): Place {
    const [controller, { clock }] = [this.#controller, this.#options];
    const ticket = controller.begin(begun);
    let isOpen = true;
    const close = (end: (now: number) => void): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      const now = clock.monotonic();
      end(now);
      this.#grantPlaces(now);
    };
    this.#open += 1;
    return {
      refuse: (retryAfter) => close((now) => controller.refuse(ticket, now, retryAfter)),
      announce: (limits) => controller.announce(ticket, clock.monotonic(), limits),
      release: () => close((now) => controller.end(ticket, now)),
    };
  }

  /** Sends what may be sent now, and sets a timer for the rest. */
  #grantPlaces(now: number): void {
    const { rateLimit } = this.#options;
    while (this.#waiters.length > 0 && !this.#isPaying) {
      const index = this.#waiters.findIndex(({ notBefore }) => notBefore <= now);
      const wait = index === -1 ? this.#untilReady(now) : this.#controller.delay(now);
      if (wait > 0) {
        if (wait !== Number.POSITIVE_INFINITY) this.#setTimer(now, wait);
        return;
      }
      const [waiter] = this.#waiters.splice(index, 1);
      if (waiter === undefined) return;
      if (rateLimit === undefined) waiter.grant(this.#openPlace(now));
      else void this.#grantPaid(rateLimit, waiter);
    }
  }

  #untilReady(now: number): number {
    return Math.min(...this.#waiters.map(({ notBefore }) => notBefore)) - now;
  }

  /** Grants the place as soon as the user's limit allows the request; other requests come after it. */
  async #grantPaid(rateLimit: RateLimit, waiter: Waiter): Promise<void> {
    this.#isPaying = true;
    const isAllowed = await rateLimit.acquire(waiter.tokens, waiter.stop);
    this.#isPaying = false;
    const now = this.#options.clock.monotonic();
    waiter.grant(isAllowed ? this.#openPlace(now) : undefined);
    this.#grantPlaces(now);
  }

  #setTimer(now: number, wait: number): void {
    const { clock, onPause } = this.#options;
    const at = now + wait;
    if (this.#open === 0 && at > this.#pauseEnd + precision) {
      this.#pauseEnd = at;
      onPause(wait);
    }
    if (this.#timer !== undefined && this.#timer.at <= at + precision) return;
    this.#timer?.cancel();
    const wake = (): void => {
      this.#timer = undefined;
      this.#grantPlaces(clock.monotonic());
    };
    this.#timer = { at, cancel: startTimer(clock, wait, wake) };
  }

  /** One listener for each signal: Node warns of more than ten. */
  #watch(stop: AbortSignal): void {
    if (this.#watched.has(stop)) return;
    this.#watched.add(stop);
    stop.addEventListener('abort', () => this.#leave(stop), { once: true });
  }

  /** The rate limit reports the stop to the waiter that it has. */
  #leave(stop: AbortSignal): void {
    const leaving = this.#waiters.filter((waiter) => waiter.stop === stop);
    this.#waiters = this.#waiters.filter((waiter) => waiter.stop !== stop);
    for (const { grant } of leaving) grant(undefined);
    if (this.#waiters.length > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
