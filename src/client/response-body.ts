import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { RequestFailure } from './request-failure.ts';
import { startTimer } from './timer.ts';

/** How long a reader who has all it wants waits for the body's end, so that the connection can be used again. */
const lingerTime = 50;

/** The body as it arrives, decoded; errors of the stream go through `explain`. */
export async function* readBody(
  incoming: IncomingMessage,
  clock: Clock,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    const decoded = await decode(incoming);
    yield* decoded.iterator({ destroyOnReturn: decoded !== incoming });
  } catch (error) {
    throw error instanceof RequestFailure ? error : (brokenEncoding(error) ?? explain(error));
  } finally {
    release(incoming, clock);
  }
}

function release(incoming: IncomingMessage, clock: Clock): void {
  if (incoming.destroyed || incoming.readableEnded) return;
  const stop = startTimer(clock, lingerTime, () => incoming.destroy());
  incoming.once('close', stop);
  incoming.resume();
}

async function decode(incoming: IncomingMessage): Promise<Readable> {
  const encoding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return incoming;
  const decoder = await createDecoder(encoding);
  const { pipeline } = await import('node:stream');
  // Errors reach the reader through the decoder, which the pipeline destroys with them.
  return pipeline(incoming, decoder, () => {});
}

async function createDecoder(encoding: string) {
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // Text goes out as it arrives, and a body that is cut keeps what came before the cut.
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
        `the service compressed its answer in a way natter cannot read (${encoding})`,
        { transient: false },
      );
  }
}

function brokenEncoding(error: unknown): RequestFailure | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  // zlib's codes are Z_DATA_ERROR and the like, brotli's ERR__ERROR_FORMAT_... and ERR_BROTLI_...
  if (!/^(Z_|ERR_(_|BROTLI))/.test(String(error.code))) return undefined;
  return new RequestFailure('server_error', 'the compressed answer is damaged', {
    transient: false,
    cause: error,
  });
}
