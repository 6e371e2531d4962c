import { LearnedLimit } from './learned-limit.ts';
import { RequestLog, type Ticket } from './request-log.ts';

/** What a refusal shows. `either`: both limits explain it. `unknown`: as much was allowed before. */
type Cause = 'places' | 'rate' | 'either' | 'unknown';

const second = 1000;
/** Milliseconds; shorter waits are not worth a timer. */
const shortest = 0.1;

/** This many requests are sent at once at first. */
const firstPlaces = 4;
/** Milliseconds; the places double at this interval until the first refusal. */
const rampInterval = 100;

/** A test of an unknown limit raises it by this factor: few tests find it, and few requests are refused. */
const openStep = 1.5;

function nextPlaces(value: number, ceiling: number): number {
  if (ceiling === Number.POSITIVE_INFINITY) return Math.ceil(value * openStep);
  return Math.max(value + 1, Math.floor((value + ceiling) / 2));
}

const nextPace = (value: number, ceiling: number): number =>
  Math.min(value * openStep, Math.sqrt(value * ceiling));

/** Requests that must use a raised limit and be admitted before its test has passed. */
const proofsOfTest = 3;
/** Milliseconds that a test of the pace lasts. */
const paceTest = 500;

/** Part of what the service has allowed in a second that is used, so that jitter causes no refusals. */
const usedShare = 0.96;
/** Requests a second; below it, a single late request can be the cause of a refusal. */
const slowPace = 5;
/** The part of the network's jitter that remains when more requests than at a slow pace share it. */
const sharedJitter = 0.5;
/** Milliseconds by which a late request does not delay those after it. */
const lateness = 200;

/** What remains of a pace after a refusal at it. */
const cutShare = 0.93;
/** Refusals that nothing explains, above the tolerated share, which show that the service allows less than before. */
const maxUnexplained = 5;
/** The share of requests that a service may refuse at random; without a pace, slowing down has helped nothing yet. */
const tolerated = { paced: 0.025, unpaced: 0.15 };
/** Cuts, one after the other, that together halved the pace, and after which refusals went on all the same. */
const futileCuts = 8;
/** A cut has helped if so many requests are admitted before the next one. */
const requestsOfHelp = 400;
/** A cut that was followed by fewer admitted requests has had no time to help. */
const requestsOfCut = 10;
/** Refusals above the proven rate for which places are blamed, after a probe has shown that places are the limit. */
const trustedAnswers = 2;
/** Milliseconds until places are tested that may not be the cause. */
const soonTest = 500;
/** Milliseconds; the longest pause between probes without a Retry-After. */
const maxGap = 8000;

/** The share of a limit that may be in use when a request is to keep that limit for sure. */
const safeShare = 0.8;

/** A limit that never announced more remaining requests is used up after each request. */
const fewRequests = 5;

/**
 * Decides when requests are sent, from what the service refused: a pure state machine. All times are monotonic
 * milliseconds and must not decrease. docs/decisions/0015-rate-limits.md explains it.
 *
 * - The places are never below 1 and never above `most`; the pace is never 0. A run never stands still: unless a request
 *   is in progress, `delay` is finite.
 * - While no limit is known, a refusal is evidence of one only if a good part of the requests that exceed what was
 *   allowed before were refused (`RequestLog.isExcessRefused`); any other is by chance.
 * - One refusal cuts once: refusals of requests that were sent before a cut only correct it.
 * - After a cut, one request (the probe) is decided before others are sent, except after a test: the limits from before
 *   it are known to be right.
 */
export class LimitController {
  readonly #most: number;
  readonly #log = new RequestLog();
  /** Requests in progress. */
  readonly #places: LearnedLimit;
  /** Requests a second; `Infinity` while no such limit is known. */
  readonly #pace = new LearnedLimit(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, nextPace);
  /** Whether a failed test has shown that there is a limit of places. */
  #arePlacesKnown = false;
  #cuts = 0;
  #unexplained = 0;
  /** Whether later refusals may lower the places further: a failed test returns to what is proven. */
  #isCorrected = false;
  #lastRetryAfter = 0;
  /** Cuts in a row that have not helped, and the requests admitted since the last of them. */
  #futile = { cuts: 0, admitted: 0 };
  /** Proofs of the running test of places, or requests of the running test of the pace. */
  #proofs = 0;
  #rampedAt: number | undefined;
  /** The time that the pace allots to the latest request. */
  #lastTurn = Number.NEGATIVE_INFINITY;
  #isProbeDue = false;
  #probe: Ticket | undefined;
  /**
   * Both limits explain the refusal. Requests keep both, until one can exceed only one of them: what happens to that
   * probe shows which limit is real.
   */
  #question: { readonly askedAt: number; inSecond: number } | undefined;
  /** The limit that the next or the latest probe exceeds. */
  #exceeds: 'places' | 'rate' | undefined;
  /** Refusals for which the answer that places are the limit still holds. */
  #trust = 0;
  /** Probes that were refused, one after the other, and the growing pause between them. */
  #silence = { probes: 0, gap: 0, until: Number.NEGATIVE_INFINITY };
  /** The requests since the end of the last silence that were not refused. */
  #delivered: { since: number | undefined; count: number } = { since: undefined, count: 0 };
  /** The highest number of remaining requests in a header. */
  #mostAnnounced = 0;

  /** @param most requests in progress, as the user allows */
  constructor(most: number) {
    this.#most = most;
    this.#places = new LearnedLimit(Math.min(most, firstPlaces), most, nextPlaces);
  }

  /** Milliseconds until a request may be sent; `Infinity` if not before one in progress ends. */
  delay(now: number): number {
    this.#observe(now);
    const { suspectedUntil } = this.#log;
    if (this.#isRamping && suspectedUntil > now) return suspectedUntil - now;
    this.#ramp(now);
    if (this.#silence.until > now) return this.#silence.until - now;
    if (this.#probe !== undefined) {
      return Math.max(shortest, this.#probe.sentAt + this.#log.decisionTime - now);
    }
    if (this.#question !== undefined) return this.#questionDelay(this.#question, now);
    return this.#placeDelay(now) || this.#paceDelay(now);
  }

  begin(now: number): Ticket {
    const ticket = this.#log.begin(now, this.#cuts);
    this.#delivered.since ??= now;
    this.#delivered.count += 1;
    if (this.#pace.isTesting) this.#proofs += 1;
    const late = now - (this.#pace.value < slowPace ? 0 : lateness);
    this.#lastTurn = Math.max(this.#lastTurn + second / this.#pace.value, late);
    if (this.#isProbeDue || this.#exceeds !== undefined) this.#probe = ticket;
    return ticket;
  }

  /** The request ended without a refusal. */
  end(ticket: Ticket, now: number): void {
    this.#log.open.delete(ticket);
    this.#observe(now);
  }

  /** @param retryAfter milliseconds; 0 without a Retry-After */
  refuse(ticket: Ticket, now: number, retryAfter = 0): void {
    this.#log.refuse(ticket, now);
    this.#delivered.count -= 1;
    this.#lastRetryAfter = retryAfter;
    this.#observe(now);
    const isProbe = ticket === this.#probe;
    if (isProbe) this.#probe = undefined;
    if (ticket.cuts !== this.#cuts) {
      this.#correctCut(ticket);
      return;
    }
    let cause = this.#causeOf(ticket, isProbe);
    const isLimited = this.#isPaced || this.#arePlacesKnown;
    const mayBeChance = cause !== 'unknown' && !isProbe && !isLimited;
    if (mayBeChance && !this.#log.isExcessRefused()) return;
    if (cause === 'unknown') {
      this.#unexplained += 1;
      if (this.#unexplained < maxUnexplained) return;
      if (this.#isPaced) cause = 'rate';
    }
    this.#unexplained = 0;
    const { isTesting } = cause === 'rate' ? this.#pace : this.#places;
    const isTested = isTesting && (cause === 'rate' || cause === 'places');
    const allowed = this.#question?.inSecond ?? Math.max(1, ticket.inSecond - 1);
    this.#question = undefined;
    this.#probe = undefined;
    this.#exceeds = undefined;
    this.#isProbeDue = false;
    this.#cuts += 1;
    this.#log.beginTrial();
    if (!isTested && !isProbe && this.#areCutsFutile()) {
      this.#arePlacesKnown = false;
      this.#places.lift(this.#most);
      this.#pace.lift(Number.POSITIVE_INFINITY);
      return;
    }
    this.#isProbeDue = !isTested;
    if (cause === 'either') this.#ask(ticket, now);
    else if (cause === 'places') this.#cutPlaces(ticket, now);
    else if (cause === 'rate') this.#cutPace(allowed, now, isProbe);
    this.#isCorrected = cause !== 'rate' && !isTested;
  }

  /** The service reported with a response what remains of its limits. */
  announce(now: number, requests?: number, tokens?: number): void {
    this.#mostAnnounced = Math.max(this.#mostAnnounced, requests ?? 0);
    if (requests !== 0 && tokens !== 0) return;
    if (this.#mostAnnounced > fewRequests || tokens !== undefined) this.#slowDown(now);
  }

  /** What is known about the limits of the service. */
  found() {
    const isLimited = this.#cuts > 0 && this.#places.value < this.#most;
    return {
      places: isLimited ? this.#places.value : undefined,
      perSecond: this.#isPaced ? this.#pace.value / usedShare : undefined,
    };
  }

  // When the next request is sent.

  get #isPaced(): boolean {
    return this.#pace.value !== Number.POSITIVE_INFINITY;
  }

  get #isRamping(): boolean {
    return this.#cuts === 0 && this.#places.value < this.#most;
  }

  #rampDelay(now: number): number {
    const since = this.#rampedAt ?? this.#log.startedAt;
    return since === undefined ? Number.POSITIVE_INFINITY : since + rampInterval - now;
  }

  #ramp(now: number): void {
    if (!this.#isRamping || this.#rampDelay(now) > 0) return;
    this.#rampedAt = now;
    this.#log.beginTrial();
    this.#places.lift(Math.min(this.#most, this.#places.value * 2));
  }

  #placeDelay(now: number): number {
    const places = this.#places;
    if (this.#log.open.size < places.value) return 0;
    if (this.#isRamping) return Math.max(shortest, this.#rampDelay(now));
    if (this.#beginTest(places, now)) return 0;
    if (places.isTesting || places.value >= this.#most) return Number.POSITIVE_INFINITY;
    return Math.max(shortest, places.at - now);
  }

  #paceDelay(now: number): number {
    const pace = this.#pace;
    if (!this.#isPaced) return 0;
    if (this.#nextTurn(now) > now) this.#beginTest(pace, now);
    return Math.max(0, this.#nextTurn(now) - now);
  }

  /** The time that the pace allows for the next request. */
  #nextTurn(now: number): number {
    const pace = this.#pace.value;
    const perSecond = Math.max(1, Math.floor(pace) + (pace >= 2 ? 1 : 0));
    const margin = (pace < slowPace ? 1 : sharedJitter) * this.#log.jitter;
    const full = this.#log.belowAt(perSecond, margin);
    return Math.max(this.#lastTurn + second / pace, full, now);
  }

  /** Keeps both limits, and sends a probe as soon as it exceeds only one of them for sure. */
  #questionDelay({ askedAt, inSecond }: { askedAt: number; inSecond: number }, now: number) {
    const { decisionTime, jitter } = this.#log;
    const decidedAt = askedAt + decisionTime;
    if (now < decidedAt) return decidedAt - now;
    const [open, places] = [this.#log.open.size, this.#places.value];
    const isCrowded = open >= places;
    const isFast = this.#log.inSecond(now) >= inSecond;
    const fewOpen = Math.max(0, Math.min(places - 2, Math.floor(safeShare * places) - 1));
    const staysFast = this.#log.belowAt(inSecond, -jitter) > now;
    const staysSlow = this.#log.belowAt(Math.floor(safeShare * inSecond) + 1, jitter) <= now;
    this.#exceeds = undefined;
    if (staysFast && open <= fewOpen) this.#exceeds = 'rate';
    else if (isCrowded && staysSlow) this.#exceeds = 'places';
    if (this.#exceeds !== undefined || !(isCrowded || isFast)) return 0;
    return Math.max(shortest, this.#log.belowAt(inSecond, jitter) - now);
  }

  #beginTest(limit: LearnedLimit, now: number): boolean {
    if (!limit.beginTest(now)) return false;
    this.#log.beginTrial();
    this.#proofs = 0;
    return true;
  }

  // What admitted requests show.

  #observe(now: number): void {
    const share = this.#isPaced ? tolerated.paced : tolerated.unpaced;
    for (const ticket of this.#log.takeAdmitted(now)) {
      this.#unexplained = Math.max(0, this.#unexplained - share);
      this.#futile.admitted += 1;
      if (this.#places.isTesting && ticket.together >= this.#places.value) this.#proofs += 1;
      if (ticket === this.#probe) this.#passProbe(now);
    }
    this.#passTests(now);
  }

  #passTests(now: number): void {
    if (this.#proofs < proofsOfTest) return;
    const [places, pace] = [this.#places, this.#pace];
    if (places.isTesting) places.passTest(now);
    const lasts = Math.max(paceTest, (proofsOfTest * second) / pace.value) + this.#log.decisionTime;
    if (pace.isTesting && now - pace.at >= lasts) pace.passTest(now);
  }

  #passProbe(now: number): void {
    const exceeds = this.#exceeds;
    this.#probe = undefined;
    this.#exceeds = undefined;
    this.#isProbeDue = false;
    if (exceeds === 'rate') this.#trust = trustedAnswers;
    if (exceeds === 'places') this.#limitPace(this.#question?.inSecond ?? 1, now);
    if (exceeds !== undefined) this.#question = undefined;
    this.#endSilence(now);
  }

  /** The first probe after a silence was admitted: continues at the speed at which the service has answered so far. */
  #endSilence(now: number): void {
    const { probes } = this.#silence;
    const { since, count } = this.#delivered;
    this.#silence.probes = 0;
    if (probes < 2 || since === undefined) return;
    const delivered = count / ((now - since) / second);
    this.#pace.lift(delivered);
    this.#pace.set(delivered, Number.POSITIVE_INFINITY, now, 0);
    this.#lastTurn = now;
    this.#delivered = { since: now, count: 0 };
  }

  // What refusals show.

  /** @param ticket is not in the log's open requests any more */
  #causeOf(ticket: Ticket, isProbe: boolean): Cause {
    const isCrowded = ticket.together > this.#log.provenTogether;
    const isFast = ticket.inSecond > this.#log.provenInSecond;
    if (this.#log.open.size === 0 && ticket.together <= 1) return 'rate';
    if (isProbe) {
      if (this.#exceeds !== undefined) return this.#exceeds;
      if (!isCrowded) return 'rate';
    }
    // The limit that a test raised, unless a single request was refused, which is not too many.
    if (this.#places.isTesting !== this.#pace.isTesting && ticket.together > 1) {
      return this.#places.isTesting ? 'places' : 'rate';
    }
    if (isCrowded && isFast) return 'either';
    if (isCrowded) return 'places';
    if (this.#trust > 0 && this.#log.open.size > safeShare * this.#places.value) {
      this.#trust -= 1;
      return 'places';
    }
    return isFast ? 'rate' : 'unknown';
  }

  /** Counts a cut, and recognizes a service that refuses a constant share at random: slower is not better there. */
  #areCutsFutile(): boolean {
    const { cuts, admitted } = this.#futile;
    const counted = (admitted >= requestsOfHelp ? 0 : cuts) + (admitted >= requestsOfCut ? 1 : 0);
    this.#futile = { cuts: counted % futileCuts, admitted: 0 };
    return counted === futileCuts;
  }

  /** The requests in progress that the service has allowed when it refused `ticket`; several orders are possible. */
  #allowedTogether({ together }: Ticket): number {
    return Math.max(1, this.#log.open.size, together - 1);
  }

  /** Assumes places, until a probe has answered the question. */
  #ask(ticket: Ticket, now: number): void {
    const value = Math.min(this.#most, this.#allowedTogether(ticket));
    const inSecond = Math.max(1, this.#log.inSecond(now));
    this.#places.set(value, value + 1, now, this.#lastRetryAfter);
    this.#places.at = Math.min(this.#places.at, now + soonTest);
    this.#log.provenInSecond = inSecond;
    this.#question = { askedAt: now, inSecond };
  }

  #cutPlaces(ticket: Ticket, now: number): void {
    const places = this.#places;
    if (places.isTesting) {
      places.failTest(now, this.#lastRetryAfter);
      this.#arePlacesKnown = true;
    } else {
      const value = Math.min(places.value, this.#allowedTogether(ticket));
      places.set(value, value + 1, now, this.#lastRetryAfter);
    }
    if (!this.#arePlacesKnown) places.at = Math.min(places.at, now + soonTest);
    this.#pace.lift(Number.POSITIVE_INFINITY);
  }

  /** A request sent before the last cut was refused, too: fewer were allowed than it seemed. */
  #correctCut(ticket: Ticket): void {
    if (!this.#isCorrected) return;
    const places = this.#places;
    const value = Math.min(places.value, this.#allowedTogether(ticket));
    if (value < places.value && !places.isTesting) {
      places.value = value;
      places.ceiling = value + 1;
    }
    const question = this.#question;
    if (question === undefined) return;
    question.inSecond = Math.max(1, question.inSecond - 1);
    this.#log.provenInSecond = question.inSecond;
  }

  /** @param isProbe nothing was admitted since the last cut */
  #cutPace(inSecond: number, now: number, isProbe: boolean): void {
    const pace = this.#pace;
    if (!this.#arePlacesKnown) this.#places.lift(this.#most);
    if (isProbe) this.#backOff(inSecond, now);
    else {
      if (pace.isTesting) pace.failTest(now, this.#lastRetryAfter);
      else {
        const age = (now - (this.#log.startedAt ?? now)) / second;
        const slower = cutShare * (this.#isPaced ? pace.value : inSecond / Math.min(1, age));
        pace.set(slower, pace.value, now, this.#lastRetryAfter);
      }
      this.#lastTurn = now;
    }
    this.#log.provenInSecond = Math.min(this.#log.provenInSecond, inSecond);
  }

  /** What the service allowed in a second is all that it allows. */
  #limitPace(inSecond: number, now: number): void {
    this.#pace.set(usedShare * inSecond, Number.POSITIVE_INFINITY, now, this.#lastRetryAfter);
  }

  /** A probe was refused: the pause before the next one doubles, up to the Retry-After. */
  #backOff(inSecond: number, now: number): void {
    const silence = this.#silence;
    silence.probes += 1;
    if (silence.probes === 1 && inSecond < this.#pace.value) this.#limitPace(inSecond, now);
    const interval = second / this.#pace.value;
    silence.gap = Math.min(
      silence.probes === 1 ? interval : 2 * silence.gap,
      this.#lastRetryAfter || maxGap,
    );
    this.#lastTurn = now - interval;
    const pause = silence.probes === 1 ? 0 : silence.gap;
    silence.until = Math.max(now + pause, this.#nextTurn(now));
  }

  /** Slows down before the service has to refuse a request. */
  #slowDown(now: number): void {
    const pace = this.#pace;
    if (pace.isTesting) {
      pace.failTest(now, 0);
      // Refusals of the test's other requests are no news.
      this.#cuts += 1;
    } else if (!this.#isPaced) this.#limitPace(Math.max(1, this.#log.inSecond(now)), now);
    this.#lastTurn = now;
  }
}
