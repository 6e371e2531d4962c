import { answerAnnouncement } from './announcements.ts';
import type { LimitState } from './limit-state.ts';
import { liftLimit, passTest, setLimit, type TestedLimit } from './tested-limit.ts';

/** The first probe after a silence was admitted: continues at the speed at which the service has answered so far. */
function endSilence(state: LimitState, now: number): void {
  const { silence, pace } = state;
  if (silence.probes >= 2 && silence.since !== undefined) {
    const delivered = silence.sent / ((now - silence.since) / 1000);
    const value = Math.max(delivered, 1000 / Math.max(silence.gap * 2, 1));
    liftLimit(pace, value);
    setLimit(pace, value, Number.POSITIVE_INFINITY, now, 0);
    state.confirmed.pace = true;
    state.lastTurn = now;
    silence.since = now;
    silence.sent = 0;
  }
  silence.probes = 0;
  silence.gap = 0;
}

function passProbe(state: LimitState, now: number): void {
  const { probe, places, log } = state;
  const { ticket } = probe;
  if (ticket === undefined || ticket.state === 'refused') return;
  if (ticket.state === 'open' && now - ticket.sentAt < log.decisionTime) return;
  state.probe = { isDue: false, ticket: undefined };
  if (state.question !== undefined) {
    state.guess = { places: places.value, cuts: 0 };
    state.question = undefined;
  }
  endSilence(state, now);
}

function countAdmitted(state: LimitState, now: number): void {
  const { log, places, strays } = state;
  for (const { together, inSecond, epoch } of log.takeAdmitted(now)) {
    log.provenTogether = Math.max(log.provenTogether, together);
    log.provenInSecond = Math.max(log.provenInSecond, inSecond);
    if (together >= places.value) places.proofs += 1;
    strays.admitted();
    if (epoch !== log.epoch.number) continue;
    log.epoch.admitted += 1;
    log.epoch.together = Math.max(log.epoch.together, together);
  }
}

/** Milliseconds. */
function testTime(pace: TestedLimit, { strays, log }: LimitState): number {
  const isOpen = pace.ceiling === Number.POSITIVE_INFINITY;
  let time = isOpen ? 500 : 1000;
  if (strays.share > 0) time = 250;
  return Math.max(time, 3000 / pace.value) + log.decisionTime;
}

function passTests(state: LimitState, now: number): void {
  const { places, pace } = state;
  if (places.isTesting && places.proofs >= 3) passTest(places, now);
  const isLongEnough = pace.isTesting && now - pace.at >= testTime(pace, state);
  if (isLongEnough && pace.sent >= 3) passTest(pace, now);
}

/** Learns from the requests that were admitted. */
export function observe(state: LimitState, now: number): void {
  countAdmitted(state, now);
  passProbe(state, now);
  answerAnnouncement(state, now);
  passTests(state, now);
}
