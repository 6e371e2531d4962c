import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { RequestFailure } from '../failure/request-failure.ts';
import { startTimer } from './timer.ts';

/** Milliseconds to wait for the body's end after the reader has finished, so that the connection can be reused. */
const lingerTime = 50;

/** The decoded body; `explain` maps errors of the stream. */
export async function* readBody(
  incoming: IncomingMessage,
  clock: Clock,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    const encoding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase();
    if (encoding === '' || encoding === 'identity') yield* receivedChunks(incoming);
    else yield* decodedChunks(incoming, await createDecoder(encoding));
  } catch (error) {
    throw error instanceof RequestFailure ? error : (damagedBody(error) ?? explain(error));
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

/** Decodes everything received of a cut body before it throws. */
async function* decodedChunks(
  incoming: IncomingMessage,
  decoder: Transform,
): AsyncGenerator<Uint8Array> {
  const { pipeline } = await import('node:stream');
  let cut: unknown;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield* receivedChunks(incoming);
    } catch (error) {
      cut = error;
    }
  }
  // Errors reach the reader through the decoder, which the pipeline destroys with them.
  yield* pipeline(source, decoder, () => {}) as AsyncIterable<Uint8Array>;
  if (cut !== undefined) throw cut;
}

function release(incoming: IncomingMessage, clock: Clock): void {
  if (incoming.destroyed || incoming.readableEnded) return;
  const stop = startTimer(clock, lingerTime, () => incoming.destroy());
  incoming.once('close', stop);
  incoming.resume();
}

async function createDecoder(encoding: string): Promise<Transform> {
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // Decode each piece as it arrives, and keep the part before a cut.
  const flush = constants.Z_SYNC_FLUSH;
  const brotliFlush = constants.BROTLI_OPERATION_FLUSH;
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip({ flush, finishFlush: flush });
    case 'br':
      return createBrotliDecompress({ flush: brotliFlush, finishFlush: brotliFlush });
    default:
      throw new RequestFailure(
        'server_error',
        `the content encoding of the answer is not supported (${encoding})`,
        { transient: false },
      );
  }
}

function damagedBody(error: unknown): RequestFailure | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  // zlib's codes are Z_DATA_ERROR and the like, brotli's ERR__ERROR_FORMAT_... and ERR_BROTLI_...
  if (!/^(Z_|ERR_(_|BROTLI))/.test(String(error.code))) return undefined;
  return new RequestFailure('server_error', 'the compressed answer is damaged', {
    transient: false,
    cause: error,
  });
}
