import type { LimitState } from './limit-state.ts';
import type { Ticket } from './ticket.ts';

/**
 * What explains a refusal: too many requests in progress, too many in a second, either of them, or (`neither`) nothing
 * that is known. `guessed`: too many in progress, if the guess is right.
 */
export type RefusalCause = 'places' | 'guessed' | 'rate' | 'either' | 'neither';

/** Whether all requests since the last cut were refused. */
export const isSilent = ({ log: { epoch } }: LimitState): boolean =>
  epoch.number > 0 && epoch.sent === epoch.refused;

/** A service with places never refuses below them, so a guess is wrong if it accepts as many as it refuses. */
function isGuessRefuted(state: LimitState, ticket: Ticket): boolean {
  const { epoch } = state.log;
  const cuts = epoch.admitted >= 100 ? 0 : state.guess.cuts;
  return cuts >= 2 && (isSilent(state) || ticket.together <= epoch.together);
}

function causeWithoutGuess(state: LimitState, { together, inSecond }: Ticket): RefusalCause {
  const { log, places, pace, confirmed } = state;
  const isCrowded = together > log.provenTogether;
  const isFast = inSecond > log.provenInSecond;
  if (isSilent(state) && !isCrowded) return 'rate';
  // The limit that a test raised, unless a single request was refused, which is not too many.
  if (places.isTesting !== pace.isTesting && together > 1) {
    return places.isTesting ? 'places' : 'rate';
  }
  if (isCrowded && isFast) return 'either';
  if (isCrowded) return 'places';
  if (isFast) return 'rate';
  if (confirmed.places && together >= places.value) return 'places';
  return pace.value === Number.POSITIVE_INFINITY ? 'neither' : 'rate';
}

/** @param ticket is not in the log's open requests any more */
export function refusalCause(state: LimitState, ticket: Ticket): RefusalCause {
  const { log, places, guess } = state;
  const others = log.open.size;
  if (others === 0 && ticket.together <= 1) return 'rate';
  const isNearGuess = Math.max(ticket.together, others) > 0.8 * guess.places;
  if (guess.places > 0 && !places.isTesting && isNearGuess) {
    return isGuessRefuted(state, ticket) ? 'rate' : 'guessed';
  }
  return causeWithoutGuess(state, ticket);
}
