import { createLastSecond } from './last-second.ts';
import { createQueue, type Ticket, TicketSet } from './ticket.ts';

/** The time between two cuts of a limit. */
export interface Epoch {
  readonly number: number;
  readonly since: number;
  sent: number;
  refused: number;
  admitted: number;
  /** Most requests in progress when one was sent that was admitted. */
  together: number;
}

export interface RequestLog {
  readonly open: TicketSet;
  /** When the first request was sent. */
  startedAt: number | undefined;
  epoch: Epoch;
  /** Most requests in progress that the service is known to allow. */
  provenTogether: number;
  /** Most requests in a second that the service is known to allow. */
  provenInSecond: number;
  /** Milliseconds after which a request that was not refused counts as admitted. */
  decisionTime: number;
  /** Milliseconds. */
  slowestRefusal: number;
  begin(now: number): Ticket;
  refuse(ticket: Ticket, now: number): void;
  /** The requests that count as admitted since the last call. */
  takeAdmitted(now: number): readonly Ticket[];
  /** Requests of the last second, except those that were refused. */
  inSecond(now: number): number;
  /** When there will be fewer than `count` of them. @param margin milliseconds */
  belowAt(now: number, count: number, margin: number): number;
}

const second = 1000;
/** Milliseconds until the first refusal has shown how fast the service refuses. */
const firstDecisionTime = 250;
const maxDecisionTime = 300;

const newEpoch = (number: number, since: number): Epoch => ({
  number,
  since,
  sent: 0,
  refused: 0,
  admitted: 0,
  together: 0,
});

/** @param duration milliseconds from a request to its refusal */
function learnDecisionTime(log: RequestLog, duration: number): void {
  log.slowestRefusal = Math.max(log.slowestRefusal * 0.8, duration);
  log.decisionTime = Math.min(maxDecisionTime, Math.max(60, 3 * log.slowestRefusal));
}

/** A refused request counts neither as in progress nor as sent, for those sent after it. */
function forget(refused: Ticket, open: Iterable<Ticket>): void {
  for (const ticket of open) {
    if (ticket.sentAt < refused.sentAt) continue;
    ticket.together -= 1;
    if (ticket.sentAt - refused.sentAt < second) ticket.inSecond -= 1;
  }
}

/** Requests of which it is not known whether they are admitted. */
function createUndecided() {
  const queue = createQueue();
  return {
    push: (ticket: Ticket) => queue.push(ticket),
    take(now: number, decisionTime: number): readonly Ticket[] {
      const admitted: Ticket[] = [];
      for (let one = queue.first(); one !== undefined; one = queue.first()) {
        if (one.state === 'open' && now - one.sentAt < decisionTime) break;
        queue.shift();
        if (one.state !== 'refused') admitted.push(one);
      }
      return admitted;
    },
  };
}

export function createRequestLog(): RequestLog {
  const open = new TicketSet();
  const lastSecond = createLastSecond();
  const undecided = createUndecided();
  const log: RequestLog = {
    open,
    startedAt: undefined,
    epoch: newEpoch(0, 0),
    decisionTime: firstDecisionTime,
    slowestRefusal: 0,
    provenTogether: 0,
    provenInSecond: 0,
    begin(now) {
      log.startedAt ??= now;
      const [together, inSecond] = [open.size + 1, lastSecond.count(now) + 1];
      const epoch = log.epoch.number;
      const ticket: Ticket = { sentAt: now, epoch, together, inSecond, state: 'open', slot: 0 };
      open.add(ticket);
      lastSecond.add(ticket);
      undecided.push(ticket);
      log.epoch.sent += 1;
      return ticket;
    },
    refuse(ticket, now) {
      lastSecond.remove(ticket, now);
      ticket.state = 'refused';
      open.delete(ticket);
      forget(ticket, open);
      learnDecisionTime(log, now - ticket.sentAt);
      if (ticket.epoch === log.epoch.number) log.epoch.refused += 1;
    },
    takeAdmitted: (now) => undecided.take(now, log.decisionTime),
    inSecond: (now) => lastSecond.count(now),
    belowAt: (now, count, margin) => lastSecond.belowAt(now, count, margin),
  };
  return log;
}

export function beginEpoch(log: RequestLog, now: number): void {
  log.epoch = newEpoch(log.epoch.number + 1, now);
}

/** The request ended without a refusal. */
export function endRequest(log: RequestLog, ticket: Ticket): void {
  ticket.state = 'ended';
  log.open.delete(ticket);
}
