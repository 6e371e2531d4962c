import type { Readable } from 'node:stream';
import { RequestFailure } from '../../failure/request-failure.ts';
import { contentEncoding } from '../response-headers.ts';
import type { ResponseHeaders } from '../transport.ts';

/** The error of a connection that ended too early, with Node's code for it. */
export const connectionEnded = (): NodeJS.ErrnoException =>
  Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });

/** A decoded body; `explain` maps errors, and `release` is called at its end. */
export async function* decodedBody(
  received: AsyncGenerator<Uint8Array>,
  headers: ResponseHeaders,
  explain: (error: unknown) => unknown,
  release: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    const encoding = contentEncoding(headers);
    if (encoding === undefined) {
      yield* received;
      return;
    }
    const { decodeBody } = await import('../body-decoding.ts');
    yield* decodeBody(received, encoding);
  } catch (error) {
    throw error instanceof RequestFailure ? error : explain(error);
  } finally {
    release();
  }
}

/** Node's own iterator drops unread bytes when the connection breaks, and with them the end of a cut answer. */
export async function* receivedChunks(incoming: Readable): AsyncGenerator<Buffer> {
  let wake = (): void => {};
  const change = (): void => wake();
  const changes = ['readable', 'end', 'error', 'close'] as const;
  for (const name of changes) incoming.on(name, change);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const chunk = incoming.read() as Buffer | null;
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
