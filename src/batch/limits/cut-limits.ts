import { type LimitState, nextTurn, share, slowPace } from './limit-state.ts';
import { isSilent } from './refusal-cause.ts';
import type { Ticket } from './ticket.ts';
import { failTest, holdTests, liftLimit, setLimit } from './tested-limit.ts';

/** Milliseconds of a pause without a Retry-After. */
const maxGap = 8000;
/** Milliseconds until places are tested that may not be the cause. */
const soon = 500;
/** Milliseconds of the requests that a rate is measured by. */
const second = 1000;

/** The requests in progress that the service has allowed when it refused `ticket`; several orders are possible. */
const allowedTogether = ({ log }: LimitState, { together }: Ticket): number =>
  Math.max(1, log.open.size, together - 1);

function guessedPlaces({ log, places, guess }: LimitState): number {
  if (guess.cuts > 1) return Math.floor(0.85 * places.value);
  return Math.min(places.value - 1, Math.max(log.open.size, Math.floor(0.9 * places.value)));
}

function fewerPlaces(state: LimitState, ticket: Ticket, isGuess: boolean): number {
  if (isGuess) return Math.max(1, guessedPlaces(state));
  const isKnown = ticket.together <= state.log.provenTogether;
  return isKnown ? Math.max(1, state.places.value - 1) : allowedTogether(state, ticket);
}

/** @param isGuess the places are not known to be the cause */
export function cutPlaces(state: LimitState, ticket: Ticket, now: number, isGuess: boolean): void {
  const { log, places, pace, guess, confirmed, lastRetryAfter } = state;
  if (isGuess) guess.cuts = log.epoch.admitted >= 100 ? 1 : guess.cuts + 1;
  if (places.isTesting && !isGuess) {
    failTest(places, now, lastRetryAfter);
    confirmed.places = true;
  } else {
    const value = fewerPlaces(state, ticket, isGuess);
    setLimit(places, value, value + 1, now, lastRetryAfter);
  }
  if (confirmed.places) log.provenTogether = places.value;
  else places.at = Math.min(places.at, now + soon);
  if (!confirmed.pace) liftLimit(pace, Number.POSITIVE_INFINITY);
}

/** Either limit explains the refusal: assumes places, and asks. */
export function cutAndAsk(state: LimitState, ticket: Ticket, now: number): void {
  const { log, places } = state;
  const value = allowedTogether(state, ticket);
  setLimit(places, value, value + 1, now, state.lastRetryAfter);
  places.at = Math.min(places.at, now + soon);
  log.provenInSecond = Math.max(1, log.inSecond(now));
  state.question = { askedAt: now, inSecond: log.provenInSecond };
}

/** The pace after a refusal that was not in a test. */
function slowerPace({ log, pace }: LimitState, now: number): number {
  const inSecond = Math.max(1, log.inSecond(now));
  const age = now - (log.startedAt ?? now);
  if (pace.value === Number.POSITIVE_INFINITY) {
    return (0.93 * inSecond) / Math.min(1, Math.max(0.02, age / 1000));
  }
  const { sent, refused, since } = log.epoch;
  const admitted = sent - refused;
  // With few requests a second, one that was delayed on its way may be the cause.
  let value = (pace.value < slowPace ? 0.97 : 0.93) * pace.value;
  if (admitted >= 4 && admitted < 8) {
    const measured = (share * admitted) / ((now - since) / 1000);
    value = Math.max(0.75 * pace.value, Math.min(value, measured));
  }
  if (inSecond >= 5 && age > 1000) {
    value = Math.min(value, Math.max(0.7 * pace.value, share * inSecond));
  }
  return value;
}

/** The first probe was refused: what the service allowed in the last second is all that it allows in a second. */
function paceOfLastSecond(state: LimitState, now: number): void {
  const { log, pace, lastRetryAfter } = state;
  const inSecond = Math.max(1, log.inSecond(now));
  if (inSecond >= pace.value) return;
  const allowed =
    inSecond > 0.8 * log.provenInSecond ? Math.max(inSecond, log.provenInSecond) : inSecond;
  const value = share * allowed;
  const isWholeSecond = now - (log.startedAt ?? now) >= 1000;
  const ceiling = isWholeSecond ? value * 1.15 : Number.POSITIVE_INFINITY;
  setLimit(pace, value, ceiling, now, lastRetryAfter);
  holdTests(pace, now + second);
}

/** The pause before the next probe doubles, up to the Retry-After. */
function backOff(state: LimitState, now: number): void {
  const { silence, pace, lastRetryAfter } = state;
  silence.probes += 1;
  if (silence.probes === 1) {
    paceOfLastSecond(state, now);
    silence.gap = 1000 / pace.value;
  } else silence.gap *= 2;
  silence.gap = Math.min(silence.gap, lastRetryAfter > 0 ? lastRetryAfter : maxGap);
  const pause = silence.probes === 1 ? 0 : silence.gap;
  silence.until = Math.max(
    now + pause,
    nextTurn({ ...state, lastTurn: now - 1000 / pace.value }, now),
  );
}

export function cutPace(state: LimitState, now: number): void {
  const { log, pace, places, confirmed, lastRetryAfter, most } = state;
  state.guess = { places: 0, cuts: 0 };
  if (!confirmed.places) liftLimit(places, most);
  if (isSilent(state)) backOff(state, now);
  else {
    if (pace.isTesting) failTest(pace, now, lastRetryAfter);
    else setLimit(pace, slowerPace(state, now), pace.value, now, lastRetryAfter);
    state.lastTurn = now;
  }
  confirmed.pace = true;
  log.provenInSecond = Math.min(log.provenInSecond, Math.max(1, log.inSecond(now)));
}

/** Nothing known explains the refusal. */
export function cutOnePlace({ log, places, lastRetryAfter }: LimitState, now: number): void {
  const value = Math.max(1, places.value - 1);
  setLimit(places, value, value + 1, now, lastRetryAfter);
  log.provenTogether = value;
}

/** A request sent before the last cut was refused, too: fewer were allowed than it seemed. */
export function correctCut(state: LimitState, ticket: Ticket): void {
  const { log, places, confirmed, question } = state;
  if (state.lastCause !== 'places') return;
  const value = Math.min(places.value, allowedTogether(state, ticket));
  if (value < places.value) {
    places.value = value;
    places.before = value;
    places.ceiling = value + 1;
    if (confirmed.places) log.provenTogether = Math.min(log.provenTogether, value);
  }
  if (question === undefined) return;
  if (ticket.sentAt > question.askedAt - 1000) {
    question.inSecond = Math.max(1, question.inSecond - 1);
  }
  log.provenInSecond = question.inSecond;
}

/** The question cannot be asked: no request exceeds only one of the limits. Both apply, and tests will show which holds. */
export function limitBoth(state: LimitState, inSecond: number, now: number): void {
  const { pace, places, lastRetryAfter } = state;
  state.question = undefined;
  state.guess = { places: 0, cuts: 0 };
  setLimit(pace, share * inSecond, Number.POSITIVE_INFINITY, now, lastRetryAfter);
  holdTests(pace, now + second);
  state.lastTurn = now;
  places.ceiling = Number.POSITIVE_INFINITY;
  places.at = now + soon / 2;
}
