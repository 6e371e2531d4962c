import { createRequestLog, type RequestLog, type Ticket } from './request-log.ts';
import { createStrayRefusals, type StrayRefusals } from './stray-refusals.ts';
import { createTestedLimit, type LimitRule, type TestedLimit } from './tested-limit.ts';

/** All times are monotonic milliseconds, all durations milliseconds. */
export interface LimitState {
  readonly most: number;
  readonly log: RequestLog;
  /** Requests in progress. */
  readonly places: TestedLimit;
  /** Requests a second; `Infinity` while no such limit is known. */
  readonly pace: TestedLimit;
  readonly strays: StrayRefusals;
  /** Whether a failed test has shown that this limit exists. */
  readonly confirmed: { places: boolean; pace: boolean };
  /** After a refusal that either limit explains: the next request decides which one it is. */
  question: Question | undefined;
  /** The places that the answer to a question suggests; 0 without one. `cuts` follow one another. */
  guess: { places: number; cuts: number };
  /** After a refusal, one request is sent before all others. */
  probe: { isDue: boolean; ticket: Ticket | undefined };
  readonly silence: Silence;
  readonly announced: Announced;
  /** When the places were doubled; undefined at first. */
  rampedAt: number | undefined;
  /** The time that the pace allots to the latest request. */
  lastTurn: number;
  lastRetryAfter: number;
  lastCause: 'places' | 'rate' | undefined;
}

interface Question {
  readonly askedAt: number;
  /** Requests in a second that are known to be allowed. */
  inSecond: number;
}

/** Probes that were refused, one after the other. */
interface Silence {
  probes: number;
  until: number;
  gap: number;
  /** Since the end of the last silence. */
  since: number | undefined;
  /** Requests since then, except those that were refused. */
  sent: number;
}

/** What the service reported in its headers. */
interface Announced {
  /** The highest number of remaining requests. */
  most: number;
  /** Nothing is sent until then. */
  until: number;
  since: number;
  /** Whether the reported times are right; undefined until one request was sent nevertheless. */
  isReliable: boolean | undefined;
  probe: Ticket | undefined;
  cutAt: number;
}

/** At first, this many requests are sent at once. */
const firstPlaces = 4;

function placesRule(most: number): LimitRule {
  return {
    most,
    next(value, ceiling) {
      if (ceiling === Number.POSITIVE_INFINITY) return Math.ceil(value * 1.5);
      return Math.max(value + 1, Math.floor((value + ceiling) / 2));
    },
    isClosed: (value, ceiling) => ceiling - value <= 1,
    pause: () => 0,
  };
}

const paceRule: LimitRule = {
  most: Number.POSITIVE_INFINITY,
  next(value, ceiling) {
    if (ceiling === Number.POSITIVE_INFINITY) return value * 1.5;
    if (ceiling / value <= 1.06) return ceiling * 1.03;
    return Math.min(value * 1.5, Math.sqrt(value * ceiling));
  },
  isClosed: (value, ceiling) => ceiling / value <= 1.06,
  // One refusal for 40 requests at most, so that tests do not add up to a noticeable share of refusals.
  pause: (value) => Math.min(120_000, 40_000 / value),
};

export function createLimitState(most: number): LimitState {
  return {
    most,
    log: createRequestLog(),
    places: createTestedLimit(placesRule(most), Math.min(most, firstPlaces)),
    pace: createTestedLimit(paceRule, Number.POSITIVE_INFINITY),
    strays: createStrayRefusals(),
    confirmed: { places: false, pace: false },
    question: undefined,
    guess: { places: 0, cuts: 0 },
    probe: { isDue: false, ticket: undefined },
    silence: { probes: 0, until: Number.NEGATIVE_INFINITY, gap: 0, since: undefined, sent: 0 },
    announced: {
      most: 0,
      until: Number.NEGATIVE_INFINITY,
      since: Number.NEGATIVE_INFINITY,
      isReliable: undefined,
      probe: undefined,
      cutAt: Number.NEGATIVE_INFINITY,
    },
    rampedAt: undefined,
    lastTurn: Number.NEGATIVE_INFINITY,
    lastRetryAfter: 0,
    lastCause: undefined,
  };
}

/** Part of what the service has allowed in a second that is used, so that jitter causes no refusals. */
export const share = 0.96;

/** Milliseconds by which requests may arrive earlier at the service than their distance suggests. */
export const jitter = ({ log }: LimitState): number => Math.max(20, log.decisionTime / 3);

/** The time that the pace allows for the next request. */
export function nextTurn({ log, pace, lastTurn }: LimitState, now: number): number {
  const perSecond = Math.max(1, Math.floor(pace.value) + (pace.value >= 2 ? 1 : 0));
  // The network may bring two requests closer together.
  const margin = pace.value < 5 ? 15 : 0;
  return Math.max(lastTurn + 1000 / pace.value, log.belowAt(now, perSecond, margin));
}
