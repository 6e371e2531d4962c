import type { IncomingHttpHeaders } from 'node:http';
import type { Mask } from '../client/failure/error-body.ts';
import { Failure } from '../failure.ts';
import { followSignals } from '../client/http/timer.ts';
import type { Transport } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import { bytesOf, describeRequest } from './format.ts';
import { type ConsumedExchanges, takeExchange } from './match-exchange.ts';
import type { Recording, TimedEvent } from './read-recording.ts';

/** The client's time during a replay. */
interface ReplayClock extends Clock {
  /** Resolves when `monotonic` has reached this moment. @throws the signal's reason when it aborts */
  until(moment: number, signal: AbortSignal): Promise<void>;
  /** Sets `date`, which continues from there. */
  setDate(date: Date): void;
}

/** Signals and the reader of the output get a turn after so many events. */
const eventsPerTurn = 200;

/**
 * Makes a clock that is `speed` times as fast as real time. With `Infinity`, nothing waits, no time limit ends, and the
 * clock shows the recorded times.
 */
export function createReplayClock(clock: Clock, speed: number): ReplayClock {
  const isInstant = speed === Infinity;
  const start = clock.monotonic();
  let reached = 0;
  let events = 0;
  const monotonic = () => (isInstant ? reached : (clock.monotonic() - start) * speed);
  let difference = clock.date().getTime() - monotonic();
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    const end = monotonic() + milliseconds;
    await clock.sleep(milliseconds / speed, signal);
    reached = Math.max(reached, end);
  };
  return {
    monotonic,
    sleep,
    timer: (milliseconds, action) =>
      isInstant ? () => undefined : clock.timer(milliseconds / speed, action),
    date: () => new Date(monotonic() + difference),
    setDate: (date) => void (difference = date.getTime() - monotonic()),
    async until(moment, signal) {
      signal.throwIfAborted();
      events += 1;
      if (!isInstant && moment > monotonic()) await sleep(moment - monotonic(), signal);
      else if (events % eventsPerTurn === 0) await clock.sleep(0, signal);
      reached = Math.max(reached, moment);
    },
  };
}

/** The failure of a recording without more events, because natter stopped reading or was killed. */
function stoppedFailure(number: number, when: string): Failure {
  const message = `exchange ${number} of the recording was stopped ${when}`;
  return new Failure('unreachable', message, { transient: false });
}

function failureOf({ kind, message, hint, remedy, transient }: TimedEvent & { type: 'failure' }) {
  return new Failure(kind, message, { transient, hint, remedy });
}

/**
 * Responds from a recording, at the pace of the clock. Rejects with a Failure `configuration` if it cannot.
 * @param mask masks secrets, as in the recording
 */
export function createReplay(
  recording: Recording,
  used: ConsumedExchanges,
  clock: ReplayClock,
  mask: Mask,
): Transport {
  return async (request, signal) => {
    signal.throwIfAborted();
    const start = clock.monotonic();
    const exchange = await takeExchange(describeRequest(request, mask), recording, used, signal);
    if (exchange.date !== undefined) clock.setDate(exchange.date);
    const [head, ...rest] = exchange.events;
    await clock.until(start + (head?.at ?? 0), signal);
    if (head?.type === 'failure') throw failureOf(head);
    if (head?.type !== 'response') throw stoppedFailure(exchange.number, 'before it was answered');
    const { controller: reading, unfollow } = followSignals(signal);
    async function* readBody(): AsyncGenerator<Uint8Array, void> {
      try {
        for (const event of rest) {
          await clock.until(start + event.at, reading.signal);
          if (event.type === 'failure') throw failureOf(event);
          if (event.type === 'end') return;
          if (event.type !== 'bytes') break;
          yield bytesOf(event);
        }
      } finally {
        unfollow();
      }
      throw stoppedFailure(exchange.number, 'before the answer ended');
    }
    return {
      status: head.status,
      headers: head.headers as IncomingHttpHeaders,
      body: readBody(),
      destroy: (reason) => reading.abort(reason),
    };
  };
}
