import type { IncomingHttpHeaders } from 'node:http';
import { RequestFailure } from '../client/failure/request-failure.ts';
import type { Transport } from '../client/http/transport.ts';
import { createExchangeMatcher } from './match-exchange.ts';
import { bytesOf, describeRequest } from './format.ts';
import type { Reaction, RecordedExchange, Recording } from './read-recording.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { ConsumedExchanges } from './consumed-exchanges.ts';

export interface ReplayOptions {
  readonly recording: Recording;
  readonly used: ConsumedExchanges;
  readonly clock: ReplayClock;
  /** Masks secrets, like in the recording. */
  readonly mask: (text: string) => string;
}

/** One exchange on its way; its times are of the clock. */
interface Playing {
  readonly exchange: RecordedExchange;
  readonly clock: ReplayClock;
  readonly start: number;
  readonly signal: AbortSignal;
  /** Call it when the reader is done. */
  readonly leave: () => void;
}

/** The recording ends here: natter stopped reading, or was killed. */
function broken({ exchange }: Playing, when: string): RequestFailure {
  return new RequestFailure(
    'unreachable',
    `exchange ${exchange.number} of the recording was stopped ${when}`,
    { transient: false },
  );
}

function failureOf({ kind, message, hint, remedy, transient }: Reaction & { type: 'failure' }) {
  return new RequestFailure(kind, message, {
    transient,
    ...(hint !== undefined && { hint }),
    ...(remedy !== undefined && { remedy }),
  });
}

async function* readBody(
  reactions: readonly Reaction[],
  playing: Playing,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (const reaction of reactions) {
      await playing.clock.until(playing.start + reaction.at, playing.signal);
      if (reaction.type === 'failure') throw failureOf(reaction);
      if (reaction.type === 'end') return;
      if (reaction.type !== 'bytes') break;
      yield bytesOf(reaction);
    }
    throw broken(playing, 'before the answer ended');
  } finally {
    playing.leave();
  }
}

async function readHead(
  head: Reaction | undefined,
  playing: Playing,
): Promise<Reaction & { type: 'response' }> {
  await playing.clock.until(playing.start + (head?.at ?? 0), playing.signal);
  if (head?.type === 'failure') throw failureOf(head);
  if (head?.type !== 'response') throw broken(playing, 'before it was answered');
  return head;
}

/** Answers from a recording, at the pace of the clock. Rejects with a Failure `configuration` where it cannot. */
export function createReplay({ recording, used, clock, mask }: ReplayOptions): Transport {
  const choice = createExchangeMatcher(recording, used);
  return async (request, signal) => {
    signal.throwIfAborted();
    const start = clock.monotonic();
    const ending = new AbortController();
    const abort = () => ending.abort(signal.reason);
    signal.addEventListener('abort', abort);
    const leave = () => signal.removeEventListener('abort', abort);
    try {
      const exchange = await choice.take(describeRequest(request, mask), signal);
      if (exchange.date !== undefined) clock.setDate(exchange.date);
      const playing = { exchange, clock, start, signal: ending.signal, leave };
      const [head, ...rest] = exchange.reactions;
      const { status, headers } = await readHead(head, playing);
      return {
        status,
        headers: headers as IncomingHttpHeaders,
        body: readBody(rest, playing),
        destroy(reason) {
          leave();
          ending.abort(reason);
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
}
