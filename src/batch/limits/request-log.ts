/** A request. Times are monotonic milliseconds. */
export interface Ticket {
  /** Later requests have higher ones. */
  readonly order: number;
  readonly sentAt: number;
  /** How often a limit had been cut when it was sent. */
  readonly cuts: number;
  /** Requests in progress when it was sent, itself included, except those that were refused. */
  together: number;
  /** Requests sent in the second before, itself included, except those that were refused. */
  inSecond: number;
}

const second = 1000;
/** Until the first refusal has shown how fast the service refuses. */
const firstDecisionTime = 250;
const minDecisionTime = 60;
/** A longer one would make tests of limits too slow. */
const maxDecisionTime = 1000;
/** A refusal may take this many times as long as the slowest before. */
const decisionMargin = 3;
/** What a single slow refusal, as in a pause of the machine, still counts after the next one. */
const slownessKept = 0.8;
/** Requests that are older than a second are removed from memory in groups of this size. */
const expiredKept = 1000;

/**
 * What was sent, and what of it the service has allowed. Times are monotonic milliseconds and do not decrease.
 *
 * - A request is decided once: it is admitted or refused. It counts as admitted when it ends, or when it was not refused
 *   within the decision time. If it is refused after that, what it proved is withdrawn.
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
  #sent = 0;
  #slowestRefusal = 0;
  /** In the order in which they were sent. */
  readonly #undecided = new Set<Ticket>();
  /** The requests that were not refused, in the order in which they were sent. */
  #recent: Ticket[] = [];
  /** How many of them, at the start, are older than a second. */
  #expired = 0;

  begin(now: number, cuts: number): Ticket {
    this.startedAt ??= now;
    const [together, inSecond] = [this.open.size + 1, this.inSecond(now) + 1];
    const ticket = { order: this.#sent, sentAt: now, cuts, together, inSecond };
    this.#sent += 1;
    this.open.add(ticket);
    this.#undecided.add(ticket);
    this.#recent.push(ticket);
    return ticket;
  }

  /** The request ended without a refusal. */
  end(ticket: Ticket): void {
    this.open.delete(ticket);
  }

  refuse(ticket: Ticket, now: number): void {
    this.open.delete(ticket);
    if (!this.#undecided.delete(ticket)) this.doubt(ticket.together - 1, ticket.inSecond - 1);
    this.#forget(ticket);
    this.#slowestRefusal = Math.max(this.#slowestRefusal * slownessKept, now - ticket.sentAt);
    const enough = decisionMargin * this.#slowestRefusal;
    this.decisionTime = Math.min(maxDecisionTime, Math.max(minDecisionTime, enough));
  }

  /** The requests that count as admitted since the last call. */
  takeAdmitted(now: number): readonly Ticket[] {
    const admitted: Ticket[] = [];
    for (const ticket of this.#undecided) {
      if (this.open.has(ticket) && now - ticket.sentAt < this.decisionTime) break;
      this.#undecided.delete(ticket);
      this.provenTogether = Math.max(this.provenTogether, ticket.together);
      this.provenInSecond = Math.max(this.provenInSecond, ticket.inSecond);
      admitted.push(ticket);
    }
    return admitted;
  }

  /** Requests of the last second, except those that were refused. */
  inSecond(now: number): number {
    const recent = this.#recent;
    while ((recent[this.#expired]?.sentAt ?? now) <= now - second) this.#expired += 1;
    const count = recent.length - this.#expired;
    // Some are kept, for the margin of `belowAt`.
    if (this.#expired > Math.max(expiredKept, 2 * count)) {
      recent.splice(0, this.#expired - expiredKept / 2);
      this.#expired = expiredKept / 2;
    }
    return count;
  }

  /** When fewer than `count` of the requests are younger than a second and `margin` milliseconds. */
  belowAt(count: number, margin: number): number {
    const last = this.#recent[this.#recent.length - count];
    return last === undefined ? Number.NEGATIVE_INFINITY : last.sentAt + second + margin;
  }

  /** Lowers what is proven: a refusal has shown that less may be allowed than it seemed. */
  doubt(together: number, inSecond: number): void {
    this.provenTogether = Math.max(0, Math.min(this.provenTogether, together));
    this.provenInSecond = Math.max(0, Math.min(this.provenInSecond, inSecond));
  }

  /** A refused request counts neither as in progress nor as sent, for those sent after it. */
  #forget(refused: Ticket): void {
    const index = this.#recent.lastIndexOf(refused);
    if (index !== -1) this.#recent.splice(index, 1);
    if (index !== -1 && index < this.#expired) this.#expired -= 1;
    for (const ticket of this.open) {
      if (ticket.order < refused.order) continue;
      ticket.together -= 1;
      if (ticket.sentAt - refused.sentAt < second) ticket.inSecond -= 1;
    }
  }
}
