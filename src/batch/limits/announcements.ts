import type { AnnouncedLimit, AnnouncedLimits } from './announced-limits.ts';
import { type LimitState, nextTurn, share } from './limit-state.ts';
import { beginEpoch } from './request-log.ts';
import type { Ticket } from './ticket.ts';
import { failTest, holdTests, setLimit } from './tested-limit.ts';

/** Milliseconds; a shorter time is often rounded up, so the learned pace is more exact. */
const longReset = 5000;
/** A limit that never allowed more than this is used up after each request. */
const fewRequests = 5;
/** Milliseconds. */
const cutInterval = 1000;
/** Milliseconds. */
const freshTime = 100;
/** Part of a limit of tokens that is too little for a request. */
const littleRest = 0.01;

function isUsedUp({ remaining, limit }: AnnouncedLimit): boolean {
  return remaining <= 0 || (limit !== undefined && limit >= 1000 && remaining < littleRest * limit);
}

/** Slows down before the service has to refuse a request. */
function slowDown(state: LimitState, now: number): void {
  const { pace, announced, log } = state;
  if (now - announced.cutAt < cutInterval) return;
  announced.cutAt = now;
  if (pace.isTesting) {
    failTest(pace, now, 0);
    // Refusals of the test's other requests are no news.
    beginEpoch(log, now);
  } else if (pace.value === Number.POSITIVE_INFINITY) {
    const value = share * Math.max(1, log.inSecond(now));
    setLimit(pace, value, Number.POSITIVE_INFINITY, now, 0);
    holdTests(pace, now + cutInterval);
  } else setLimit(pace, 0.99 * pace.value, Math.max(pace.ceiling, pace.value), now, 0);
  state.lastTurn = now;
}

function hold({ announced }: LimitState, now: number, reset: number): void {
  if (announced.isReliable === false || now + reset <= announced.until) return;
  if (announced.until <= now) announced.since = now;
  announced.until = now + reset;
}

function sentAfter({ log }: LimitState, { sentAt }: Ticket): number {
  let count = 0;
  for (const ticket of log.open) if (ticket.sentAt > sentAt) count += 1;
  return count;
}

export function announce(
  state: LimitState,
  ticket: Ticket,
  now: number,
  { requests, tokens }: AnnouncedLimits,
): void {
  const { announced, pace } = state;
  announced.most = Math.max(announced.most, requests?.remaining ?? 0);
  for (const limit of [requests, tokens]) {
    if (limit !== undefined && isUsedUp(limit) && (limit.reset ?? 0) > longReset) {
      hold(state, now, limit.reset ?? 0);
    }
  }
  const usedUp = [requests, tokens].some((limit) => limit !== undefined && isUsedUp(limit));
  const isLimited = announced.most > fewRequests || tokens !== undefined;
  if (usedUp && isLimited) slowDown(state, now);
  else if (requests !== undefined && announced.most > fewRequests) {
    const isUnknown = pace.value === Number.POSITIVE_INFINITY;
    // A later response counts requests that were sent after its own.
    const isFresh = now - ticket.sentAt < freshTime;
    if (isUnknown && isFresh && requests.remaining <= sentAfter(state, ticket)) {
      slowDown(state, now);
    }
  }
}

/** Milliseconds until the service allows a request, as it reported. One is sent earlier, to learn whether that is right. */
export function announcedDelay(state: LimitState, now: number): number {
  const { announced, log } = state;
  if (announced.until <= now || announced.isReliable === false) return 0;
  const wait = announced.until - now;
  if (announced.isReliable === true) return wait;
  if (announced.probe !== undefined) return Math.min(wait, log.decisionTime);
  const early = Math.max(announced.since + 1000 + log.decisionTime / 3, nextTurn(state, now));
  return Math.min(wait, Math.max(0, early - now));
}

export function beginDespiteAnnouncement({ announced }: LimitState, ticket: Ticket): void {
  const isEarly = announced.until > ticket.sentAt && announced.isReliable === undefined;
  if (isEarly && announced.probe === undefined) announced.probe = ticket;
}

/** A request that was sent despite an announcement was admitted: such announcements are wrong. */
export function answerAnnouncement({ announced, log }: LimitState, now: number): void {
  const { probe } = announced;
  if (probe === undefined || probe.state === 'refused') return;
  if (probe.state === 'ended' || now - probe.sentAt >= log.decisionTime) {
    announced.isReliable = false;
    announced.probe = undefined;
  }
}

/** @returns whether the refused request was sent despite an announcement, which is therefore right */
export function confirmAnnouncement({ announced }: LimitState, ticket: Ticket): boolean {
  if (announced.probe !== ticket) return false;
  announced.isReliable = true;
  announced.probe = undefined;
  return true;
}
