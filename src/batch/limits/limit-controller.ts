import type { AnnouncedLimits } from './announced-limits.ts';
import {
  announce,
  announcedDelay,
  beginDespiteAnnouncement,
  confirmAnnouncement,
} from './announcements.ts';
import { correctCut, cutAndAsk, cutOnePlace, cutPace, cutPlaces, limitBoth } from './cut-limits.ts';
import { createLimitState, type LimitState, nextTurn, share, slowPace } from './limit-state.ts';
import { observe } from './observe.ts';
import { isSilent, type RefusalCause, refusalCause } from './refusal-cause.ts';
import { beginEpoch, endRequest } from './request-log.ts';
import type { Ticket } from './ticket.ts';
import { beginTest, liftLimit, stopTest } from './tested-limit.ts';

/** What is known about the limits of the service. */
export interface FoundLimits {
  readonly places: number | undefined;
  readonly perSecond: number | undefined;
}

/**
 * Decides when requests are sent, from what the service refused: a pure state machine. All times are monotonic
 * milliseconds and must not decrease. docs/decisions/0015-rate-limits.md explains it.
 */
export interface LimitController {
  /** Milliseconds until a request may be sent; `Infinity` if not before one in progress ends. */
  delay(now: number): number;
  begin(now: number): Ticket;
  /** The request ended without a refusal. */
  end(ticket: Ticket, now: number): void;
  /** @param retryAfter milliseconds; undefined without a Retry-After */
  refuse(ticket: Ticket, now: number, retryAfter: number | undefined): void;
  /** The service reported its limits with the response to `ticket`. */
  announce(ticket: Ticket, now: number, limits: AnnouncedLimits): void;
  found(): FoundLimits;
}

/** Milliseconds; the places double at this interval until the first refusal. */
const rampInterval = 100;
/** Milliseconds by which a late request does not delay those after it. */
const lateness = (pace: number): number => (pace < slowPace ? 0 : 200);
/** Milliseconds that the request of a question may be on its way. */
const questionTime = 150;
/** Milliseconds; shorter waits are not worth a timer. */
const shortest = 0.1;

/** Milliseconds until the places double. */
function rampDelay({ log, rampedAt = log.startedAt }: LimitState, now: number): number {
  if (rampedAt === undefined) return 0;
  return Math.max(0, rampedAt + rampInterval - now);
}

const isRamping = ({ log, places, most }: LimitState): boolean =>
  log.startedAt !== undefined && log.epoch.number === 0 && places.value < most;

function ramp(state: LimitState, now: number): void {
  if (!isRamping(state) || rampDelay(state, now) > 0) return;
  state.rampedAt = now;
  liftLimit(state.places, Math.min(state.most, state.places.value * 2));
}

/** The wait until the request that answers the question may be sent; undefined if it may be sent now. */
function questionDelay(state: LimitState, now: number): number | undefined {
  const { question, log, places } = state;
  if (question === undefined || !state.probe.isDue) return undefined;
  // Until then, more of the requests sent before may be refused.
  const decided = question.askedAt + Math.min(log.decisionTime, 100);
  if (now < decided) return decided - now;
  const ends = log.belowAt(now, question.inSecond, 0) - questionTime;
  if (ends <= now) {
    limitBoth(state, question.inSecond, now);
    return undefined;
  }
  const few = Math.max(0, Math.min(places.value - 2, Math.floor(0.8 * places.value) - 1));
  if (log.open.size <= few) return undefined;
  return Math.max(shortest, ends - now);
}

function placeDelay(state: LimitState, now: number): number {
  const { log, places, pace, most } = state;
  if (log.open.size < places.value) return 0;
  if (isRamping(state)) return Math.max(shortest, rampDelay(state, now));
  if (!pace.isTesting && beginTest(places, now)) return 0;
  if (places.isTesting || places.value >= most) return Number.POSITIVE_INFINITY;
  return Math.max(shortest, places.at - now);
}

/** Milliseconds; a test of places does not end while the pace keeps requests from using them. */
const longTest = 2000;
/** Waits of a refused item that the rest of a run must last, so that a test is worth one. */
const worthwhileWaits = 5;
/** Milliseconds; of a refused item without a Retry-After. */
const firstBackoff = 500;

/** Whether the rest of the run is long enough for a test. */
function isLongEnough({ left, pace, lastRetryAfter }: LimitState): boolean {
  const rest = ((left() ?? Number.POSITIVE_INFINITY) / pace.value) * 1000;
  return rest > worthwhileWaits * Math.max(firstBackoff, lastRetryAfter);
}

function paceDelay(state: LimitState, now: number): number {
  const { pace, places } = state;
  if (pace.value === Number.POSITIVE_INFINITY) return 0;
  if (nextTurn(state, now) > now) {
    if (places.isTesting && now - places.at > longTest) stopTest(places, now);
    if (!places.isTesting && isLongEnough(state)) beginTest(pace, now);
  }
  return Math.max(0, nextTurn(state, now) - now);
}

function delay(state: LimitState, now: number): number {
  const { silence, probe, log } = state;
  observe(state, now);
  ramp(state, now);
  if (silence.until > now) return silence.until - now;
  if (probe.ticket !== undefined && state.probe.isDue) {
    return Math.max(shortest, probe.ticket.sentAt + log.decisionTime - now);
  }
  const announced = announcedDelay(state, now);
  if (announced > 0) return announced;
  return questionDelay(state, now) ?? (placeDelay(state, now) || paceDelay(state, now));
}

function begin(state: LimitState, now: number): Ticket {
  const { log, pace, probe, silence } = state;
  const ticket = log.begin(now);
  silence.since ??= now;
  silence.sent += 1;
  if (pace.isTesting) pace.sent += 1;
  const turn = state.lastTurn + 1000 / pace.value;
  state.lastTurn =
    pace.value === Number.POSITIVE_INFINITY ? now : Math.max(turn, now - lateness(pace.value));
  state.lastSent = now;
  if (probe.isDue) probe.ticket = ticket;
  beginDespiteAnnouncement(state, ticket);
  return ticket;
}

function cut(state: LimitState, ticket: Ticket, cause: RefusalCause, now: number): void {
  state.lastCause = cause === 'rate' ? 'rate' : 'places';
  if (cause === 'rate') cutPace(state, now);
  else if (cause === 'either') cutAndAsk(state, ticket, now);
  else if (cause === 'neither') cutOnePlace(state, now);
  else cutPlaces(state, ticket, now, cause === 'guessed');
}

/** Refusals go on though the limits were cut several times: the limits are not their cause. */
function undoCuts({ log, places, pace }: LimitState): void {
  liftLimit(pace, pace.value);
  liftLimit(places, Math.max(places.value, log.provenTogether));
}

function refuse(state: LimitState, ticket: Ticket, now: number, retryAfter: number): void {
  const { log, places, pace, strays, silence } = state;
  log.refuse(ticket, now);
  silence.sent -= 1;
  state.lastRetryAfter = retryAfter;
  observe(state, now);
  if (confirmAnnouncement(state, ticket)) return;
  if (ticket.epoch !== log.epoch.number) {
    correctCut(state, ticket);
    strays.refusedBefore();
    return;
  }
  state.question = undefined;
  const cause = refusalCause(state, ticket);
  if (strays.expects()) return;
  const tested = cause === 'rate' ? pace.isTesting : cause === 'places' && places.isTesting;
  const isStray = !tested && !isSilent(state) && strays.learn(log.epoch);
  if (isStray) undoCuts(state);
  else cut(state, ticket, cause, now);
  beginEpoch(log, now);
  // After a test, the limits from before it are known to be right.
  state.probe = { isDue: !isStray && !tested, ticket: undefined };
}

/**
 * @param most requests in progress, as the user allows
 * @param left items without a result; undefined if unknown
 */
export function createLimitController(
  most: number,
  left: () => number | undefined = () => undefined,
): LimitController {
  const state = createLimitState(most, left);
  return {
    delay: (now) => delay(state, now),
    begin: (now) => begin(state, now),
    end(ticket, now) {
      endRequest(state.log, ticket);
      observe(state, now);
    },
    refuse: (ticket, now, retryAfter = 0) => refuse(state, ticket, now, retryAfter),
    announce(ticket, now, limits) {
      announce(state, ticket, now, limits);
    },
    found() {
      const { places, pace, log } = state;
      const isLimited = log.epoch.number > 0 && places.value < most;
      const isPaced = pace.value !== Number.POSITIVE_INFINITY;
      return {
        places: isLimited ? places.value : undefined,
        perSecond: isPaced ? pace.value / share : undefined,
      };
    },
  };
}
