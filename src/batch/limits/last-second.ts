import { createQueue, type Ticket } from './ticket.ts';

type Queue = ReturnType<typeof createQueue>;

const second = 1000;
/** Milliseconds; the longest margin of `belowAt`. */
const maxMargin = 50;

/** The requests of the last second, and of {@link maxMargin} before it. */
interface Recent {
  readonly queue: Queue;
  /** The first ones in the queue, which are older than a second. */
  expired: number;
  /** Those of the last second, except those that were refused. */
  count: number;
}

function expire(recent: Recent, now: number): void {
  const { queue } = recent;
  for (let one = queue.at(recent.expired); one !== undefined; one = queue.at(recent.expired)) {
    if (one.sentAt > now - second) break;
    if (one.state !== 'refused') recent.count -= 1;
    recent.expired += 1;
  }
  for (let one = queue.first(); one !== undefined; one = queue.first()) {
    if (one.sentAt > now - second - maxMargin) break;
    queue.shift();
    recent.expired -= 1;
  }
}

/** See `belowAt` of the log. */
function belowAt({ queue, expired, count }: Recent, now: number, most: number, margin: number) {
  const isInMargin = (one: Ticket | undefined) =>
    one !== undefined && one.sentAt > now - second - margin;
  let excess = count - most + 1;
  let index = expired;
  for (; isInMargin(queue.at(index - 1)); index -= 1) {
    if (queue.at(index - 1)?.state !== 'refused') excess += 1;
  }
  for (let one = queue.at(index); excess > 0 && one !== undefined; one = queue.at(index)) {
    if (one.state !== 'refused') excess -= 1;
    if (excess === 0) return one.sentAt + second + margin;
    index += 1;
  }
  return now;
}

/** Counts the requests of the last second. Times are monotonic milliseconds. */
export function createLastSecond() {
  const recent: Recent = { queue: createQueue(), expired: 0, count: 0 };
  return {
    add(ticket: Ticket): void {
      recent.queue.push(ticket);
      recent.count += 1;
    },
    /** To be called before the ticket's state changes to refused. */
    remove(ticket: Ticket, now: number): void {
      expire(recent, now);
      if (ticket.sentAt > now - second) recent.count -= 1;
    },
    count(now: number): number {
      expire(recent, now);
      return recent.count;
    },
    belowAt(now: number, most: number, margin: number): number {
      expire(recent, now);
      return belowAt(recent, now, most, margin);
    },
  };
}
