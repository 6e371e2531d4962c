import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../clock.ts';
import { RequestFailure } from '../../failure/request-failure.ts';
import { lingerTime } from '../network.ts';
import { contentEncoding } from '../response-headers.ts';
import { startTimer } from '../timer.ts';

/** The decoded body; `explain` maps errors of the stream. */
export async function* readBody(
  incoming: IncomingMessage,
  clock: Clock,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    const encoding = contentEncoding(incoming.headers);
    const received = receivedChunks(incoming);
    if (encoding === undefined) {
      yield* received;
      return;
    }
    const { decodeBody } = await import('../body-decoding.ts');
    yield* decodeBody(received, encoding);
  } catch (error) {
    throw error instanceof RequestFailure ? error : explain(error);
  } finally {
    release(incoming, clock);
  }
}

/** Node's own iterator drops unread bytes when the connection breaks, and with them the end of a cut answer. */
async function* receivedChunks(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  let wake = (): void => {};
  const change = (): void => wake();
  const changes = ['readable', 'end', 'error', 'close'] as const;
  for (const name of changes) incoming.on(name, change);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const chunk = incoming.read() as Uint8Array | null;
      if (chunk !== null) yield chunk;
      else if (incoming.errored !== null) throw incoming.errored;
      else if (incoming.readableEnded) return;
      else if (incoming.closed) throw new Error('the connection was closed');
      else await changed;
    }
  } finally {
    for (const name of changes) incoming.off(name, change);
  }
}

function release(incoming: IncomingMessage, clock: Clock): void {
  if (incoming.destroyed || incoming.readableEnded) return;
  const stop = startTimer(clock, lingerTime, () => incoming.destroy());
  incoming.once('close', stop);
  incoming.resume();
}
