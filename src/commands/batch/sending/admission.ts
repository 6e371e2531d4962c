import type { InputItem } from '../../../batch/input/item.ts';
import { announcedLimits } from '../../../batch/limits/announced-limits.ts';
import { createPatience, type Patience } from '../../../batch/limits/patience.ts';
import { type Place, Places } from '../../../batch/limits/places.ts';
import { RateLimit, type RateLimits } from '../../../batch/limits/rate-limit.ts';
import { itemsLeft } from '../../../batch/tally.ts';
import type { Throttle } from '../../../client/client.ts';
import type { Clock } from '../../../clock.ts';
import type { SendingRun } from '../plan.ts';
import { shortTime } from '../report/show-progress.ts';
import { type AfterRefusal, type Permission, planItem } from './send-item.ts';
import type { Presentation } from '../../../run.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { estimateRequest } from '../../../usage/budget.ts';

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

interface AdmissionOptions {
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
  /** Tokens of an answer without a limit: the average of the latest ones. */
  averageAnswer: number | undefined;
}

interface Admitted {
  readonly sequence: number;
  /** Estimated. */
  readonly tokens: number;
  readonly prompt: number;
}

/** Part of the average that each answer replaces. */
const weight = 0.1;

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
    const { options, patience, rateLimit, averageAnswer } = this.#state;
    this.#place.release();
    if (isAnswered) patience.answered(options.clock.monotonic());
    if (used === undefined) return;
    rateLimit?.settle(this.#item.tokens, used);
    const answer = Math.max(0, used - this.#item.prompt);
    const average = averageAnswer ?? answer;
    this.#state.averageAnswer = average + weight * (answer - average);
  }
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { clock, concurrency, rateLimits, retries, maxWait, onPause } = options;
  const isLimited = rateLimits.requests !== undefined || rateLimits.tokens !== undefined;
  const rateLimit = isLimited ? new RateLimit(rateLimits, clock) : undefined;
  const left = options.left ?? (() => undefined);
  const places = new Places({ most: concurrency, clock, rateLimit, left, onPause });
  const patience = createPatience({ retries, maxWait, since: clock.monotonic() });
  const state: AdmissionState = {
    options,
    places,
    patience,
    rateLimit,
    averageAnswer: undefined,
  };
  return {
    places,
    admit(item, sequence, ended) {
      if (item.problem !== undefined) return noRequest;
      const { prompt, answer } =
        rateLimits.tokens === undefined ? { prompt: 0, answer: 0 } : options.estimate(item);
      const tokens = prompt + (answer ?? Math.round(state.averageAnswer ?? 0));
      const place = places.take({ order: sequence, tokens, wait: 0 }, ended);
      const permit = (taken: Place | undefined) =>
        taken && new ItemPermission(state, { sequence, tokens, prompt }, taken);
      return place instanceof Promise ? place.then(permit) : permit(place);
    },
  };
}

/** In milliseconds; a shorter pause is not worth a notice. */
const longPause = 5000;

/** Reports a pause for a rate limit when there is no progress line. */
export function pauseNotice({ animated, notices }: Presentation): (wait: number) => void {
  return (wait) => {
    if (animated || wait < longPause) return;
    notices.notice(`rate limit: pausing new requests for ${shortTime(wait)}`);
  };
}

/** Tokens of the request, and the limit of its answer. */
function estimateItem({ content }: InputItem, settings: ResolvedSettings) {
  if (content === undefined) return { prompt: 0, answer: 0 };
  try {
    return estimateRequest(planItem(content, settings, false).request);
  } catch {
    // An item that cannot be sent: sending it reports why.
    return { prompt: 0, answer: 0 };
  }
}

/** Milliseconds; `Infinity` without a limit. */
export const maxWaitOf = ({ values }: ResolvedSettings): number => values.retryMaxWait || Infinity;

export function openAdmission(
  { plan, settings, service, left, tally, onPause }: SendingRun,
  stop: AbortSignal,
): Admission {
  return createAdmission({
    clock: service.clock,
    concurrency: plan.concurrency,
    rateLimits: plan.rateLimits,
    retries: settings.values.retries,
    maxWait: maxWaitOf(settings),
    stop,
    estimate: (item) => estimateItem(item, settings),
    left: left ?? (() => itemsLeft(tally)),
    onPause,
  });
}
