import type { Clock } from '../../clock.ts';
import type { AnnouncedLimits } from './announced-limits.ts';
import {
  createLimitController,
  type FoundLimits,
  type LimitController,
} from './limit-controller.ts';
import type { Place, PlaceRequest } from './place.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Ticket } from './ticket.ts';

/** Gives out places as fast as the service allows. */
export interface Places {
  /** @returns undefined when `stop` aborts */
  take(request: PlaceRequest, stop: AbortSignal): Promise<Place | undefined> | Place | undefined;
  /** Requests in progress. */
  open(): number;
  found(): FoundLimits;
  /** Milliseconds until the next request may be sent, if none is in progress; else 0. */
  pauseRemaining(): number;
}

interface Waiter {
  readonly order: number;
  readonly tokens: number;
  /** Monotonic milliseconds. */
  readonly notBefore: number;
  readonly stop: AbortSignal;
  readonly grant: (place: Place | undefined) => void;
}

interface Timer {
  readonly at: number;
  readonly cancel: () => void;
}

export interface PlacesOptions {
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

interface PlacesState extends PlacesOptions {
  readonly controller: LimitController;
  /** By their order. */
  readonly waiters: Waiter[];
  /** The signals whose abort ends waiting. */
  readonly watched: WeakSet<AbortSignal>;
  open: number;
  /** The user's limit delays a request. */
  isPaying: boolean;
  timer: Timer | undefined;
  /** The end of the pause that was reported last. */
  pauseEnd: number;
}

/** Milliseconds; a timer that is due earlier by less serves as well. */
const precision = 1;

async function wakeAfter(state: PlacesState, wait: number): Promise<void> {
  const { clock } = state;
  const cancelling = new AbortController();
  const timer = { at: clock.monotonic() + wait, cancel: () => cancelling.abort('cancelled') };
  state.timer = timer;
  try {
    await clock.sleep(wait, cancelling.signal);
  } catch (error) {
    if (cancelling.signal.aborted) return;
    throw error;
  }
  if (state.timer === timer) state.timer = undefined;
  grantPlaces(state, clock.monotonic());
}

function setTimer(state: PlacesState, wait: number): void {
  const { clock, timer } = state;
  const now = clock.monotonic();
  const at = now + wait;
  if (state.open === 0 && at > state.pauseEnd + precision) {
    state.pauseEnd = at;
    state.onPause(wait);
  }
  if (timer !== undefined && timer.at <= at + precision) return;
  timer?.cancel();
  void wakeAfter(state, wait);
}

class OpenPlace implements Place {
  readonly #state: PlacesState;
  readonly #ticket: Ticket;
  #isOpen = true;

  constructor(state: PlacesState, now: number) {
    state.open += 1;
    this.#state = state;
    this.#ticket = state.controller.begin(now);
  }

  refuse(retryAfter: number | undefined): void {
    this.#close((now) => this.#state.controller.refuse(this.#ticket, now, retryAfter));
  }

  announce(limits: AnnouncedLimits): void {
    const { controller, clock } = this.#state;
    controller.announce(this.#ticket, clock.monotonic(), limits);
  }

  release(): void {
    this.#close((now) => this.#state.controller.end(this.#ticket, now));
  }

  #close(end: (now: number) => void): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#state.open -= 1;
    const now = this.#state.clock.monotonic();
    end(now);
    grantPlaces(this.#state, now);
  }
}

/** Whether the request need not wait. */
function isFree(state: PlacesState, { wait }: PlaceRequest, now: number): boolean {
  const { open, most, rateLimit, waiters, controller } = state;
  if (wait > 0 || open >= most || rateLimit !== undefined || waiters.length > 0) return false;
  return controller.delay(now) <= 0;
}

/** Grants the place as soon as the user's limit allows the request; other requests come after it. */
async function grantPaid(state: PlacesState, rateLimit: RateLimit, waiter: Waiter): Promise<void> {
  state.isPaying = true;
  const isAllowed = await rateLimit.acquire(waiter.tokens, waiter.stop);
  state.isPaying = false;
  const now = state.clock.monotonic();
  waiter.grant(isAllowed ? new OpenPlace(state, now) : undefined);
  grantPlaces(state, now);
}

/** The milliseconds until a waiting request may be sent, and which one. */
function nextGrant({ controller, waiters }: PlacesState, now: number) {
  const index = waiters.findIndex(({ notBefore }) => notBefore <= now);
  if (index !== -1) return { wait: controller.delay(now), index };
  return { wait: Math.min(...waiters.map(({ notBefore }) => notBefore)) - now, index };
}

/** Sends what may be sent now, and sets a timer for the rest. */
function grantPlaces(state: PlacesState, now: number): void {
  const { waiters, rateLimit } = state;
  while (waiters.length > 0 && !state.isPaying) {
    const { wait, index } = nextGrant(state, now);
    if (wait > 0) {
      if (wait !== Number.POSITIVE_INFINITY) setTimer(state, wait);
      return;
    }
    const [waiter] = waiters.splice(index, 1);
    if (waiter === undefined) return;
    if (rateLimit === undefined) waiter.grant(new OpenPlace(state, now));
    else void grantPaid(state, rateLimit, waiter);
  }
}

function enqueue(state: PlacesState, waiter: Waiter, now: number): void {
  const { waiters } = state;
  const after = waiters.findIndex(({ order }) => order > waiter.order);
  waiters.splice(after === -1 ? waiters.length : after, 0, waiter);
  grantPlaces(state, now);
}

function leave(state: PlacesState, waiter: Waiter): void {
  const { waiters } = state;
  const index = waiters.indexOf(waiter);
  // The rate limit reports the stop for the one that it has.
  if (index === -1) return;
  waiters.splice(index, 1);
  waiter.grant(undefined);
  if (waiters.length > 0) return;
  state.timer?.cancel();
  state.timer = undefined;
}

/** Once for each signal: most requests wait, and Node takes as long to add and remove a listener as to read an answer. */
function watchStop(state: PlacesState, stop: AbortSignal): void {
  if (state.watched.has(stop)) return;
  state.watched.add(stop);
  const end = (): void => {
    for (const waiter of state.waiters.filter((one) => one.stop === stop)) leave(state, waiter);
  };
  stop.addEventListener('abort', end, { once: true });
}

function waitForPlace(
  state: PlacesState,
  { order, tokens, wait }: PlaceRequest,
  stop: AbortSignal,
  now: number,
): Promise<Place | undefined> {
  watchStop(state, stop);
  return new Promise((grant) =>
    enqueue(state, { order, tokens, notBefore: now + wait, stop, grant }, now),
  );
}

export function createPlaces(options: PlacesOptions): Places {
  const { clock, most, left } = options;
  const state: PlacesState = {
    ...options,
    controller: createLimitController(most, left),
    waiters: [],
    watched: new WeakSet(),
    open: 0,
    isPaying: false,
    timer: undefined,
    pauseEnd: Number.NEGATIVE_INFINITY,
  };
  return {
    take(request, stop) {
      if (stop.aborted) return undefined;
      const now = clock.monotonic();
      if (isFree(state, request, now)) return new OpenPlace(state, now);
      return waitForPlace(state, request, stop, now);
    },
    open: () => state.open,
    found: () => state.controller.found(),
    pauseRemaining() {
      const { timer, open } = state;
      return timer === undefined || open > 0 ? 0 : Math.max(0, timer.at - clock.monotonic());
    },
  };
}
