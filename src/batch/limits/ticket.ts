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
