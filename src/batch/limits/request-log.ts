/** A request. Times are monotonic milliseconds. */
export interface Ticket {
  readonly sentAt: number;
  /** The number of the epoch in which it was sent. */
  readonly epoch: number;
  /** Requests in progress when it was sent, itself included, except those that were refused. */
  together: number;
  /** Requests sent in the second before, itself included, except those that were refused. */
  inSecond: number;
  state: 'open' | 'ended' | 'refused';
}

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
  readonly open: Set<Ticket>;
  /** When the first request was sent. */
  startedAt: number | undefined;
  /** When the latest request was sent that has a response. */
  respondedSentAt: number;
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

/** A queue without the cost of `shift`. */
function createQueue() {
  let tickets: Ticket[] = [];
  let first = 0;
  return {
    push: (ticket: Ticket) => void tickets.push(ticket),
    first: () => tickets[first],
    at: (index: number) => tickets[first + index],
    shift(): void {
      first += 1;
      if (first < 1000 || first * 2 < tickets.length) return;
      tickets = tickets.slice(first);
      first = 0;
    },
  };
}

/** The requests of the last second. */
function createSecond() {
  const queue = createQueue();
  let count = 0;
  let lastExpired = Number.NEGATIVE_INFINITY;
  const expire = (now: number): void => {
    for (let one = queue.first(); one !== undefined; one = queue.first()) {
      if (one.sentAt > now - second) break;
      if (one.state !== 'refused') {
        count -= 1;
        lastExpired = one.sentAt;
      }
      queue.shift();
    }
  };
  return {
    add(ticket: Ticket): void {
      queue.push(ticket);
      count += 1;
    },
    /** To be called before the ticket's state changes to refused. */
    remove(ticket: Ticket, now: number): void {
      expire(now);
      if (ticket.sentAt > now - second) count -= 1;
    },
    count(now: number): number {
      expire(now);
      return count;
    },
    belowAt(now: number, most: number, margin: number): number {
      expire(now);
      let excess = count - most + 1;
      if (excess <= 0) return margin === 0 ? now : Math.max(now, lastExpired + second + margin);
      for (let index = 0; ; index += 1) {
        const one = queue.at(index);
        if (one === undefined) return now;
        if (one.state !== 'refused') excess -= 1;
        if (excess === 0) return one.sentAt + second + margin;
      }
    },
  };
}

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
  log.slowestRefusal = Math.max(log.slowestRefusal * 0.9, duration);
  log.decisionTime = Math.min(second, Math.max(30, 3 * log.slowestRefusal));
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
  const open = new Set<Ticket>();
  const lastSecond = createSecond();
  const undecided = createUndecided();
  const log: RequestLog = {
    open,
    startedAt: undefined,
    respondedSentAt: Number.NEGATIVE_INFINITY,
    epoch: newEpoch(0, 0),
    decisionTime: firstDecisionTime,
    slowestRefusal: 0,
    provenTogether: 0,
    provenInSecond: 0,
    begin(now) {
      log.startedAt ??= now;
      const [together, inSecond] = [open.size + 1, lastSecond.count(now) + 1];
      const epoch = log.epoch.number;
      const ticket: Ticket = { sentAt: now, epoch, together, inSecond, state: 'open' };
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

export function noteResponse(log: RequestLog, { sentAt }: Ticket): void {
  log.respondedSentAt = Math.max(log.respondedSentAt, sentAt);
}

/** The request ended without a refusal. */
export function endRequest(log: RequestLog, ticket: Ticket): void {
  ticket.state = 'ended';
  noteResponse(log, ticket);
  log.open.delete(ticket);
}
