import type { InputItem } from '../../../batch/input/item.ts';
import { announcedLimits } from '../../../batch/limits/announced-limits.ts';
import { createPatience, type Patience } from '../../../batch/limits/patience.ts';
import { type Place, Places } from '../../../batch/limits/places.ts';
import { RateLimit, type RateLimits } from '../../../batch/limits/rate-limit.ts';
import type { Throttle } from '../../../client/client.ts';
import type { Clock } from '../../../clock.ts';
import { createAnswerEstimate, type AnswerEstimate } from './answer-estimate.ts';

/** What happens after a refusal: the item may be sent again, the run stops, or nothing was answered for too long. */
type AfterRefusal = 'again' | 'stopped' | 'starved';

/** The permission to send the requests of one item. */
export interface Permission extends Pick<Throttle, 'onResponse' | 'onRefusal'> {
  /** Waits for the limits of the user. @returns false if the run stops; undefined if there is nothing to wait for */
  beforeRequest(): Promise<boolean> | undefined;
  /** Waits until the refused item may be sent again. */
  afterRefusal(): Promise<AfterRefusal>;
  /** @param tokens that the service reported; undefined without a report */
  end(isAnswered: boolean, tokens: number | undefined): void;
}

/** Admits items as fast as the service and the user allow. */
export interface Admission {
  readonly places: Places;
  /** @returns undefined if `ended` aborts first */
  admit(
    item: InputItem,
    sequence: number,
    ended: AbortSignal,
  ): Promise<Permission | undefined> | Permission | undefined;
}

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly concurrency: number;
  readonly rateLimits: RateLimits;
  readonly retries: number;
  /** Milliseconds. */
  readonly maxWait: number;
  /** No more requests are sent. */
  readonly stop: AbortSignal;
  /** Tokens of the prompt, and the limit of the answer; undefined without one. */
  readonly estimate: (item: InputItem) => { prompt: number; answer: number | undefined };
  /** Items without a result; undefined if unknown. */
  readonly left?: () => number | undefined;
  readonly onPause: (wait: number) => void;
}

interface AdmissionState {
  readonly options: AdmissionOptions;
  readonly places: Places;
  readonly patience: Patience;
  readonly rateLimit: RateLimit | undefined;
  readonly answers: AnswerEstimate;
}

interface Admitted {
  readonly sequence: number;
  /** Estimated. */
  readonly tokens: number;
  readonly prompt: number;
}

/** An item that cannot be sent needs no place. */
const noRequest: Permission = {
  beforeRequest: () => undefined,
  onResponse: () => undefined,
  onRefusal: () => undefined,
  afterRefusal: async () => 'stopped',
  end: () => undefined,
};

class ItemPermission implements Permission {
  readonly #state: AdmissionState;
  readonly #item: Admitted;
  #place: Place;
  /** Created for the first refusal. */
  #patience: ReturnType<Patience['beginItem']> | undefined;
  #isPaid = true;
  #retryAfter: number | undefined;

  constructor(state: AdmissionState, item: Admitted, place: Place) {
    this.#state = state;
    this.#item = item;
    this.#place = place;
  }

  beforeRequest(): Promise<boolean> | undefined {
    const { rateLimit, options } = this.#state;
    const wasPaid = this.#isPaid;
    this.#isPaid = false;
    return wasPaid ? undefined : rateLimit?.acquire(this.#item.tokens, options.stop);
  }

  onResponse({ headers }: Parameters<Throttle['onResponse']>[0]): void {
    const limits = announcedLimits(headers);
    if (limits !== undefined) this.#place.announce(limits);
  }

  onRefusal(wait: number | undefined): void {
    this.#retryAfter = wait;
    this.#place.refuse(wait);
    this.#state.rateLimit?.settle(this.#item.tokens, 0);
  }

  async afterRefusal(): Promise<AfterRefusal> {
    const { options, places, patience } = this.#state;
    const { sequence, tokens } = this.#item;
    this.#patience ??= patience.beginItem();
    const now = options.clock.monotonic();
    const wait = this.#patience.refused(now, this.#retryAfter, places.open());
    if (wait === undefined) return 'starved';
    const next = await places.take({ order: sequence, tokens, wait }, options.stop);
    if (next === undefined) return 'stopped';
    this.#place = next;
    this.#isPaid = true;
    return 'again';
  }

  end(isAnswered: boolean, used: number | undefined): void {
    const { options, patience, rateLimit, answers } = this.#state;
    this.#place.release();
    if (isAnswered) patience.answered(options.clock.monotonic());
    if (used === undefined) return;
    rateLimit?.settle(this.#item.tokens, used);
    answers.learn(used - this.#item.prompt);
  }
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { clock, concurrency, rateLimits, retries, maxWait, onPause } = options;
  const isLimited = rateLimits.requests !== undefined || rateLimits.tokens !== undefined;
  const rateLimit = isLimited ? new RateLimit(rateLimits, clock) : undefined;
  const left = options.left ?? (() => undefined);
  const places = new Places({ most: concurrency, clock, rateLimit, left, onPause });
  const patience = createPatience({ retries, maxWait, since: clock.monotonic() });
  const answers = createAnswerEstimate();
  const state = { options, places, patience, rateLimit, answers };
  return {
    places,
    admit(item, sequence, ended) {
      if (item.problem !== undefined) return noRequest;
      const { prompt, answer } =
        rateLimits.tokens === undefined ? { prompt: 0, answer: 0 } : options.estimate(item);
      const tokens = prompt + (answer ?? answers.value());
      const place = places.take({ order: sequence, tokens, wait: 0 }, ended);
      const permit = (taken: Place | undefined) =>
        taken && new ItemPermission(state, { sequence, tokens, prompt }, taken);
      return place instanceof Promise ? place.then(permit) : permit(place);
    },
  };
}
