/** A request. Times are monotonic milliseconds. */
export interface Ticket {
  readonly sentAt: number;
  /** How often a limit had been cut when it was sent. */
  readonly cuts: number;
  /** Requests in progress when it was sent, itself included, except those that were refused. */
  together: number;
  /** Requests sent in the second before, itself included, except those that were refused. */
  inSecond: number;
}

/** What may be too much: requests in progress, or requests in a second. */
const measures = ['together', 'inSecond'] as const;

/** The requests that exceed what was proven when a trial began. */
const noExcess = (proven: number) => ({ proven, admitted: 0, refused: 0 });

const second = 1000;
/** So many refusals are not by chance if they are at least this share of the requests that exceed what is proven. */
const leastRefused = 2.5;
const refusedShare = 0.25;
/** What an earlier request still counts after the next one. */
const excessKept = 0.97;
/** The value until the first refusal has shown how fast the service refuses. */
const firstDecisionTime = 250;
const minDecisionTime = 60;
/** A longer one would make tests of limits too slow. */
const maxDecisionTime = 1000;
/** A refusal may take this many times as long as the slowest before. */
const decisionMargin = 3;
/** The network may bring two requests closer together by this part of the decision time. */
const jitterShare = 0.15;
/** Milliseconds; timers are late, too. */
const leastJitter = 40;

/**
 * What was sent, and what of it the service has allowed. Times are monotonic milliseconds and do not decrease.
 *
 * - A request is decided once: it is admitted or refused. It counts as admitted when it ends, or when it was not refused
 *   within the decision time.
 * - The proven values are never above what was admitted.
 */
export class RequestLog {
  /** Requests in progress, in the order in which they were sent. */
  readonly open = new Set<Ticket>();
  /** When the first request was sent. */
  startedAt: number | undefined;
  /** Most requests in progress that the service is known to allow. */
  provenTogether = 0;
  /** Most requests in a second that the service is known to allow. */
  provenInSecond = 0;
  /** Milliseconds after which a request that was not refused counts as admitted. */
  decisionTime = firstDecisionTime;
  /** Milliseconds by which the network may bring two requests closer together. */
  jitter = leastJitter;
  #excess = { together: noExcess(0), inSecond: noExcess(0) };
  #slowestRefusal = 0;
  /** The requests without an outcome, in the order in which they were sent. */
  readonly #undecided = new Set<Ticket>();
  /** The requests that were not refused, in the order in which they were sent. */
  #recent: Ticket[] = [];

  begin(now: number, cuts: number): Ticket {
    this.startedAt ??= now;
    const [together, inSecond] = [this.open.size + 1, this.inSecond(now) + 1];
    const ticket = { sentAt: now, cuts, together, inSecond };
    this.open.add(ticket);
    this.#undecided.add(ticket);
    this.#recent.push(ticket);
    return ticket;
  }

  refuse(ticket: Ticket, now: number): void {
    this.#countExcess(ticket, 'refused');
    this.#undecided.delete(ticket);
    this.#forget(ticket);
    this.#slowestRefusal = Math.max(this.#slowestRefusal, now - ticket.sentAt);
    const enough = decisionMargin * this.#slowestRefusal;
    this.decisionTime = Math.min(maxDecisionTime, Math.max(minDecisionTime, enough));
    this.jitter = Math.max(leastJitter, jitterShare * this.decisionTime);
  }

  /** The requests that count as admitted since the last call. */
  takeAdmitted(now: number): readonly Ticket[] {
    const admitted: Ticket[] = [];
    for (const ticket of this.#undecided) {
      if (this.open.has(ticket) && now - ticket.sentAt < this.decisionTime) break;
      this.#undecided.delete(ticket);
      this.#countExcess(ticket, 'admitted');
      this.provenTogether = Math.max(this.provenTogether, ticket.together);
      this.provenInSecond = Math.max(this.provenInSecond, ticket.inSecond);
      admitted.push(ticket);
    }
    return admitted;
  }

  /** When the oldest undecided request is decided, if the trial had a refusal: others may be on their way. */
  get suspectedUntil(): number {
    const [oldest] = this.#undecided;
    if (oldest === undefined || this.#excess.inSecond.refused === 0) return 0;
    return oldest.sentAt + this.decisionTime;
  }

  /** More is sent than before, or less: what exceeds the proven values is counted anew. */
  beginTrial(): void {
    const [together, inSecond] = [this.provenTogether, this.provenInSecond];
    this.#excess = { together: noExcess(together), inSecond: noExcess(inSecond) };
  }

  /** Whether a limit refuses what exceeds the proven values: it refuses most of that, a busy service only a part. */
  isExcessRefused(): boolean {
    return measures.some((measure) => {
      const { proven, admitted, refused } = this.#excess[measure];
      let all = admitted + refused;
      for (const ticket of this.#undecided) if (ticket[measure] > proven) all += 1;
      return refused >= leastRefused && refused >= refusedShare * all;
    });
  }

  #countExcess(ticket: Ticket, outcome: 'admitted' | 'refused'): void {
    for (const measure of measures) {
      const excess = this.#excess[measure];
      if (ticket[measure] <= excess.proven) continue;
      excess.admitted *= excessKept;
      excess.refused *= excessKept;
      excess[outcome] += 1;
    }
  }

  /** Requests of the last second, except those that were refused. */
  inSecond(now: number): number {
    const recent = this.#recent;
    while ((recent[0]?.sentAt ?? now) <= now - second - this.jitter) recent.shift();
    const first = recent.findIndex(({ sentAt }) => sentAt > now - second);
    return first === -1 ? 0 : recent.length - first;
  }

  /** When fewer than `count` of the requests are younger than a second and `margin` milliseconds. */
  belowAt(count: number, margin: number): number {
    const last = this.#recent[this.#recent.length - count];
    return last === undefined ? Number.NEGATIVE_INFINITY : last.sentAt + second + margin;
  }

  /** A refused request counts neither as in progress nor as sent, for those sent after it. */
  #forget(refused: Ticket): void {
    const index = this.#recent.lastIndexOf(refused);
    if (index !== -1) this.#recent.splice(index, 1);
    const open = [...this.open];
    for (const ticket of open.slice(open.indexOf(refused) + 1)) {
      ticket.together -= 1;
      if (ticket.sentAt - refused.sentAt < second) ticket.inSecond -= 1;
    }
    this.open.delete(refused);
  }
}
