import { createRequestLog, type RequestLog } from './request-log.ts';
import type { Ticket } from './ticket.ts';
import { createStrayRefusals, type StrayRefusals } from './stray-refusals.ts';
import { createTestedLimit, type LimitRule, type TestedLimit } from './tested-limit.ts';

/** All times are monotonic milliseconds, all durations milliseconds. */
export interface LimitState {
  readonly most: number;
  /** Items without a result; undefined if unknown. */
  readonly left: () => number | undefined;
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
  /** When the latest request was sent. */
  lastSent: number;
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

export function createLimitState(most: number, left: LimitState['left']): LimitState {
  return {
    most,
    left,
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
    lastSent: Number.NEGATIVE_INFINITY,
    lastRetryAfter: 0,
    lastCause: undefined,
  };
}

/** Part of what the service has allowed in a second that is used, so that jitter causes no refusals. */
export const share = 0.96;

/** Requests a second; below it, a single late request can be the cause of a refusal. */
export const slowPace = 5;
/** How much longer the interval between two requests is then. */
const slowInterval = 1.02;
/** The shortest part of the interval, for requests that catch up. */
const shortestInterval = 0.7;
/** Milliseconds by which the network may bring requests closer together. */
const networkJitter = 20;

/** The time that the pace allows for the next request. */
export function nextTurn({ log, pace, lastTurn, lastSent }: LimitState, now: number): number {
  const isSlow = pace.value < slowPace;
  const perSecond = Math.max(1, Math.floor(pace.value) + (pace.value >= 2 ? 1 : 0));
  const interval = (1000 / pace.value) * (isSlow ? slowInterval : 1);
  const earliest = lastSent + (isSlow ? 1 : shortestInterval) * interval;
  return Math.max(lastTurn + interval, earliest, log.belowAt(now, perSecond, networkJitter));
}
