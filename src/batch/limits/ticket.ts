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
  /** Its position in a {@link TicketSet}. */
  slot: number;
}

/** Not a `Set`: V8 keeps most entries of one that constantly gets and loses some until a full collection. */
export class TicketSet implements Iterable<Ticket> {
  readonly #tickets: Ticket[] = [];

  get size(): number {
    return this.#tickets.length;
  }

  add(ticket: Ticket): void {
    ticket.slot = this.#tickets.push(ticket) - 1;
  }

  /** Without effect for a ticket that is not in the set. */
  delete(ticket: Ticket): void {
    if (this.#tickets[ticket.slot] !== ticket) return;
    const last = this.#tickets.pop();
    if (last === undefined || last === ticket) return;
    this.#tickets[ticket.slot] = last;
    last.slot = ticket.slot;
  }

  [Symbol.iterator](): Iterator<Ticket> {
    return this.#tickets.values();
  }
}

/** A queue without the cost of `shift`. */
export function createQueue() {
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
