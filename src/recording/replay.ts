import type { IncomingHttpHeaders } from 'node:http';
import type { Mask } from '../client/failure/error-body.ts';
import { Failure } from '../failure.ts';
import { followSignals } from '../client/http/timer.ts';
import type { Transport } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import { definedFields } from '../json.ts';
import { bytesOf, describeRequest, type Recording, type TimedEvent } from './format.ts';
import { takeExchange, type UseExchange } from './match-exchange.ts';

/** The client's time during a replay. */
interface ReplayClock extends Clock {
  /** Resolves when `monotonic` has reached this moment. @throws the signal's reason when it aborts */
  until(moment: number, signal: AbortSignal): Promise<void>;
  /** Sets `date`, which continues from there. */
  setDate(date: Date): void;
}

/** Signals and the reader of the output get a turn after so many events. */
const eventsPerTurn = 200;

/** Makes a wall clock that can be set. */
function createDates(clock: Clock, monotonic: () => number) {
  let difference = clock.date().getTime() - monotonic();
  return {
    date: () => new Date(monotonic() + difference),
    setDate: (date: Date) => void (difference = date.getTime() - monotonic()),
  };
}

/** Makes a clock that is `speed` times as fast as real time; with `Infinity`, nothing waits. */
export function createReplayClock(clock: Clock, speed: number): ReplayClock {
  if (speed === Infinity) return createInstantClock(clock);
  const start = clock.monotonic();
  const monotonic = () => (clock.monotonic() - start) * speed;
  const sleep: Clock['sleep'] = (milliseconds, signal) => clock.sleep(milliseconds / speed, signal);
  return {
    monotonic,
    sleep,
    timer: (milliseconds, action) => clock.timer(milliseconds / speed, action),
    ...createDates(clock, monotonic),
    async until(moment, signal) {
      signal.throwIfAborted();
      const wait = moment - monotonic();
      if (wait > 0) await sleep(wait, signal);
    },
  };
}

/** Makes a clock that never waits, but shows the recorded times. A sleep ends when the replay is idle. */
function createInstantClock(clock: Clock): ReplayClock {
  let now = 0;
  let events = 0;
  const monotonic = () => now;
  const reach = (moment: number) => void (now = Math.max(now, moment));
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    const end = now + milliseconds;
    let before: number;
    do {
      before = events;
      await clock.sleep(0, signal);
    } while (events !== before);
    reach(end);
  };
  return {
    monotonic,
    sleep,
    timer(milliseconds, action) {
      const stopped = new AbortController();
      sleep(milliseconds, stopped.signal).then(action, () => undefined);
      return () => stopped.abort();
    },
    ...createDates(clock, monotonic),
    async until(moment, signal) {
      signal.throwIfAborted();
      events += 1;
      if (events % eventsPerTurn === 0) await clock.sleep(0, signal);
      reach(moment);
    },
  };
}

/** The failure of a recording without more events, because natter stopped reading or was killed. */
function stoppedFailure(number: number, when: string): Failure {
  const message = `exchange ${number} of the recording was stopped ${when}`;
  return new Failure('unreachable', message, { transient: false });
}

function failureOf({ kind, message, hint, remedy, transient }: TimedEvent & { type: 'failure' }) {
  return new Failure(kind, message, { transient, ...definedFields({ hint, remedy }) });
}

/**
 * Responds from a recording, at the pace of the clock. Rejects with a Failure `configuration` if it cannot.
 * @param mask masks secrets, as in the recording
 */
export function createReplay(
  recording: Recording,
  use: UseExchange,
  clock: ReplayClock,
  mask: Mask,
): Transport {
  return async (request, signal) => {
    signal.throwIfAborted();
    const start = clock.monotonic();
    const exchange = await takeExchange(describeRequest(request, mask), recording, use, signal);
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
