import { type Clock, startTimer } from '../clock.ts';
import type { InputItem } from './input/item.ts';
import { announcedLimits, type ResponseHeaders } from './limits/announced-limits.ts';
import { LimitController } from './limits/limit-controller.ts';
import { createRateLimit, type RateLimits } from './limits/rate-limit.ts';
import type { Ticket } from './limits/request-log.ts';

interface AdmissionOptions {
  readonly clock: Clock;
  /** Requests at the same time. */
  readonly most: number;
  /** The limits that the user has set. */
  readonly rateLimits: RateLimits;
  readonly retries: number;
  /** Milliseconds; the longest Retry-After to wait for, and with `Infinity` any. */
  readonly maxWait: number;
  /** No more requests are sent. */
  readonly stop: AbortSignal;
  /** Tokens of the prompt, and the limit of the answer; undefined without one. */
  readonly estimate: (item: InputItem) => { prompt: number; answer: number | undefined };
  /** Gets the milliseconds of a pause of all requests. */
  readonly onPause: (wait: number) => void;
}

/** Milliseconds; a timer that is due earlier by less serves as well. */
const precision = 1;
/** Milliseconds, of an item that is refused without a Retry-After. */
const firstBackoff = 500;
const maxBackoff = 8000;
/** Part of the average length of an answer that each answer replaces. */
const weight = 0.1;

/**
 * Admits items as fast as the service and the user allow.
 *
 * - Never more than `most` requests are in progress.
 * - While items wait, a timer or a request in progress will admit the next one.
 * - Among the items that may be sent, the first one of the input is first. A refused one waits without a place.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #controller: LimitController;
  readonly #rateLimit: ReturnType<typeof createRateLimit>;
  /** The waiting items in their order. */
  #waiters: {
    /** The index of the item: the lowest is sent first. */
    readonly order: number;
    /** Estimated, for the limits of the user. */
    readonly tokens: number;
    /** Monotonic milliseconds. */
    readonly notBefore: number;
    readonly grant: (ticket: Ticket | undefined) => void;
  }[] = [];
  #open = 0;
  #timer: { at: number; isPause: boolean; cancel: () => void } | undefined;
  /** The end of the pause that was reported last. */
  #pauseEnd = Number.NEGATIVE_INFINITY;
  #answers = 0;
  /** When an item was answered, or the run began. */
  #lastAnswer: number;
  /** Tokens of an answer without a limit. */
  #averageAnswer: number | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#controller = new LimitController(options.most);
    this.#rateLimit = createRateLimit(options.rateLimits);
    this.#lastAnswer = options.clock.monotonic();
    const leave = () => {
      for (const { grant } of this.#waiters.splice(0)) grant(undefined);
      this.#timer?.cancel();
      this.#timer = undefined;
    };
    options.stop.addEventListener('abort', leave, { once: true });
  }

  /** What the refusals of the service have shown. */
  found() {
    return this.#controller.found();
  }

  /** Milliseconds until the service may be asked again, if no request is in progress; else 0. */
  pauseRemaining(): number {
    if (this.#timer?.isPause !== true || this.#open > 0) return 0;
    return Math.max(0, this.#timer.at - this.#options.clock.monotonic());
  }

  /** Waits until the item may be sent. @returns undefined if the run stops first */
  async admit(item: InputItem) {
    const { index: order } = item;
    // An item that cannot be sent needs no place.
    if (item.problem !== undefined) return this.#permission(order, 0, 0, undefined);
    const { prompt, answer } = this.#options.estimate(item);
    const tokens = prompt + (answer ?? Math.round(this.#averageAnswer ?? 0));
    const ticket = await this.#take(order, tokens, 0);
    return ticket && this.#permission(order, prompt, tokens, ticket);
  }

  #permission(order: number, prompt: number, tokens: number, first: Ticket | undefined) {
    const { clock, maxWait } = this.#options;
    /** Undefined after a refusal. */
    let ticket = first;
    let isPaid = true;
    let retryAfter: number | undefined;
    /** Refusals since the last answer to any item. */
    let refusals = 0;
    let answersSeen = 0;
    return {
      /** Waits for the limits of the user before each request but the first. @returns false if the run stops */
      beforeRequest: async (): Promise<boolean> => {
        const wasPaid = isPaid;
        isPaid = false;
        return wasPaid || this.#pay(tokens);
      },
      /** The head of a response arrived. */
      onResponse: ({ headers }: { readonly headers: ResponseHeaders }): void => {
        const limits = announcedLimits(headers);
        if (limits === undefined) return;
        this.#controller.announce(clock.monotonic(), limits.requests, limits.tokens);
      },
      /** The service refused a request. @param wait milliseconds; undefined without a Retry-After */
      onRefusal: (wait: number | undefined): void => {
        retryAfter = wait;
        const refused = ticket;
        ticket = undefined;
        this.#rateLimit.settle(clock.monotonic(), tokens, 0);
        if (refused !== undefined) {
          this.#close((now) => this.#controller.refuse(refused, now, wait));
        }
      },
      /** Waits until the refused item may be sent again; `starved`: the service answered nothing for too long. */
      afterRefusal: async (): Promise<'again' | 'stopped' | 'starved'> => {
        refusals = (answersSeen === this.#answers ? refusals : 0) + 1;
        answersSeen = this.#answers;
        if (this.#isHopeless(refusals, retryAfter)) return 'starved';
        const backoff = Math.min(maxBackoff, firstBackoff * 2 ** (refusals - 1));
        ticket = await this.#take(order, tokens, Math.min(retryAfter ?? backoff, maxWait));
        isPaid = true;
        return ticket === undefined ? 'stopped' : 'again';
      },
      /** @param used tokens that the service reported; undefined without a report */
      end: (isAnswered: boolean, used: number | undefined): void => {
        const ended = ticket;
        ticket = undefined;
        const now = clock.monotonic();
        if (isAnswered) {
          this.#answers += 1;
          this.#lastAnswer = now;
        }
        if (used !== undefined) {
          this.#rateLimit.settle(now, tokens, used);
          const answer = Math.max(0, used - prompt);
          const average = this.#averageAnswer ?? answer;
          this.#averageAnswer = average + weight * (answer - average);
        }
        if (ended !== undefined) this.#close(() => this.#controller.end(ended, now));
      },
    };
  }

  /**
   * Whether a refused item fails: nothing is in progress, and nothing was answered for as long as the user waits. While
   * nothing was ever answered, also without retries, and for a Retry-After that is too long.
   */
  #isHopeless(refusals: number, retryAfter = 0): boolean {
    const { clock, retries, maxWait } = this.#options;
    if (this.#open > 0) return false;
    const isUnanswered = this.#answers === 0;
    const isSilent = clock.monotonic() - this.#lastAnswer >= maxWait;
    if (retryAfter > maxWait && (isUnanswered || isSilent)) return true;
    const isOver = isSilent || maxWait === Infinity || (isUnanswered && retries === 0);
    return refusals > retries && isOver;
  }

  /** Waits for the limits of the user, and counts a request. @returns false if the run stops first */
  async #pay(tokens: number): Promise<boolean> {
    const { clock, stop } = this.#options;
    const delay = () => this.#rateLimit.delay(clock.monotonic(), tokens);
    for (let wait = delay(); wait > 0; wait = delay()) {
      try {
        await clock.sleep(wait, stop);
      } catch (error) {
        if (stop.aborted) return false;
        throw error;
      }
    }
    this.#rateLimit.use(clock.monotonic(), tokens);
    return true;
  }

  /** @param wait milliseconds until the request may be sent @returns undefined if the run stops first */
  #take(order: number, tokens: number, wait: number): Promise<Ticket | undefined> {
    if (this.#options.stop.aborted) return Promise.resolve(undefined);
    const now = this.#options.clock.monotonic();
    return new Promise((grant) => {
      const after = this.#waiters.findIndex((one) => one.order > order);
      const waiter = { order, tokens, notBefore: now + wait, grant };
      this.#waiters.splice(after === -1 ? this.#waiters.length : after, 0, waiter);
      this.#grantPlaces(now);
    });
  }

  #close(end: (now: number) => void): void {
    this.#open -= 1;
    const now = this.#options.clock.monotonic();
    end(now);
    this.#grantPlaces(now);
  }

  /** Sends what may be sent now, and sets a timer for the rest. */
  #grantPlaces(now: number): void {
    while (this.#waiters.length > 0) {
      const index = this.#waiters.findIndex(({ notBefore }) => notBefore <= now);
      const waiter = this.#waiters[index];
      const first = Math.min(...this.#waiters.map(({ notBefore }) => notBefore));
      const pause = waiter === undefined ? first - now : this.#controller.delay(now);
      const paid = waiter === undefined ? 0 : this.#rateLimit.delay(now, waiter.tokens);
      const wait = Math.max(pause, paid);
      if (waiter === undefined || wait > 0) {
        if (wait !== Number.POSITIVE_INFINITY) this.#setTimer(now, wait, pause > 0);
        return;
      }
      this.#waiters.splice(index, 1);
      this.#rateLimit.use(now, waiter.tokens);
      this.#open += 1;
      waiter.grant(this.#controller.begin(now));
    }
  }

  /** @param isPause because of the service, not of the limits of the user */
  #setTimer(now: number, wait: number, isPause: boolean): void {
    const { clock, onPause } = this.#options;
    const at = now + wait;
    if (isPause && this.#open === 0 && at > this.#pauseEnd + precision) {
      this.#pauseEnd = at;
      onPause(wait);
    }
    if (this.#timer !== undefined && this.#timer.at <= at + precision) return;
    this.#timer?.cancel();
    const cancel = startTimer(clock, wait, () => {
      this.#timer = undefined;
      this.#grantPlaces(clock.monotonic());
    });
    this.#timer = { at, isPause, cancel };
  }
}

/** The permission to send the requests of one item. */
export type Permission = NonNullable<Awaited<ReturnType<Admission['admit']>>>;
