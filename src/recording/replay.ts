import type { IncomingHttpHeaders } from 'node:http';
import { RequestFailure } from '../client/failure/request-failure.ts';
import type { Transport } from '../client/http/transport.ts';
import { createExchangeMatcher } from './match-exchange.ts';
import { bytesOf, describeRequest } from './format.ts';
import type { TimedEvent, RecordedExchange, Recording } from './read-recording.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { ConsumedExchanges } from './consumed-exchanges.ts';

export interface ReplayOptions {
  readonly recording: Recording;
  readonly used: ConsumedExchanges;
  readonly clock: ReplayClock;
  /** Masks secrets, as in the recording. */
  readonly mask: (text: string) => string;
}

interface Playback {
  readonly exchange: RecordedExchange;
  readonly clock: ReplayClock;
  /** By the clock. */
  readonly start: number;
  readonly signal: AbortSignal;
  /** Call it after the last event. */
  readonly finish: () => void;
}

/** The recording has no more events, because natter stopped reading or was killed. */
function stoppedFailure({ exchange }: Playback, when: string): RequestFailure {
  return new RequestFailure(
    'unreachable',
    `exchange ${exchange.number} of the recording was stopped ${when}`,
    { transient: false },
  );
}

function failureOf({ kind, message, hint, remedy, transient }: TimedEvent & { type: 'failure' }) {
  return new RequestFailure(kind, message, {
    transient,
    ...(hint !== undefined && { hint }),
    ...(remedy !== undefined && { remedy }),
  });
}

async function* readBody(
  events: readonly TimedEvent[],
  playback: Playback,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (const event of events) {
      await playback.clock.until(playback.start + event.at, playback.signal);
      if (event.type === 'failure') throw failureOf(event);
      if (event.type === 'end') return;
      if (event.type !== 'bytes') break;
      yield bytesOf(event);
    }
    throw stoppedFailure(playback, 'before the answer ended');
  } finally {
    playback.finish();
  }
}

async function readHead(
  head: TimedEvent | undefined,
  playback: Playback,
): Promise<TimedEvent & { type: 'response' }> {
  await playback.clock.until(playback.start + (head?.at ?? 0), playback.signal);
  if (head?.type === 'failure') throw failureOf(head);
  if (head?.type !== 'response') throw stoppedFailure(playback, 'before it was answered');
  return head;
}

/** Responds from a recording, at the pace of the clock. Rejects with a Failure `configuration` if it cannot. */
export function createReplay({ recording, used, clock, mask }: ReplayOptions): Transport {
  const matcher = createExchangeMatcher(recording, used);
  return async (request, signal) => {
    signal.throwIfAborted();
    const start = clock.monotonic();
    const ending = new AbortController();
    const abort = () => ending.abort(signal.reason);
    signal.addEventListener('abort', abort);
    const finish = () => signal.removeEventListener('abort', abort);
    try {
      const exchange = await matcher.take(describeRequest(request, mask), signal);
      if (exchange.date !== undefined) clock.setDate(exchange.date);
      const playback = { exchange, clock, start, signal: ending.signal, finish };
      const [head, ...rest] = exchange.events;
      const { status, headers } = await readHead(head, playback);
      return {
        status,
        headers: headers as IncomingHttpHeaders,
        body: readBody(rest, playback),
        destroy(reason) {
          finish();
          ending.abort(reason);
        },
      };
    } catch (error) {
      finish();
      throw error;
    }
  };
}
