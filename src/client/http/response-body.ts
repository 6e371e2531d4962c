import { pipeline, type Readable, type Transform } from 'node:stream';
import { type Clock, startTimer } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import type { ResponseHeaders } from './transport.ts';

/** The milliseconds for the body's end after its reader has finished, so that the connection can be reused. */
const lingerTime = 50;

/**
 * Decodes a body. After the reader has stopped, the rest is thrown away for a moment, then the connection is closed.
 * @param explain maps errors of the connection
 */
export async function* readBody(
  body: Readable,
  headers: ResponseHeaders,
  explain: (error: unknown) => unknown,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  try {
    const encoding = String(headers['content-encoding'] ?? '')
      .trim()
      .toLowerCase();
    const received = receivedChunks(body);
    yield* /^(?:identity)?$/.test(encoding) ? received : decodeBody(received, encoding);
  } catch (error) {
    throw error instanceof Failure ? error : explain(error);
  } finally {
    if (!body.destroyed && !body.readableEnded) {
      const stopTimer = startTimer(clock, lingerTime, () => body.destroy());
      body.once('close', stopTimer);
      body.resume();
    }
  }
}

/**
 * Reads a body as it arrives. Node's own iterator drops unread bytes when the connection breaks, and with them the end
 * of a cut answer.
 */
async function* receivedChunks(body: Readable): AsyncGenerator<Uint8Array> {
  let wake = (): void => {};
  const change = (): void => wake();
  const changes = ['readable', 'end', 'error', 'close'] as const;
  for (const name of changes) body.on(name, change);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const chunk = body.read() as Buffer | null;
      if (chunk !== null) yield chunk;
      else if (body.errored !== null) throw body.errored;
      else if (body.readableEnded) return;
      else if (body.closed) throw new Error('the connection was closed');
      else await changed;
    }
  } finally {
    for (const name of changes) body.off(name, change);
  }
}

/**
 * Decodes everything received of a cut body before it throws.
 * @throws Failure for a damaged body or an unknown encoding; any error of `received`
 */
async function* decodeBody(
  received: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const decoder = await createDecoder(encoding);
  let cut: { readonly error: unknown } | undefined;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield* received;
    } catch (error) {
      cut = { error };
    }
  }
  try {
    // Errors reach the reader through the decoder, which the pipeline destroys with them.
    yield* pipeline(source, decoder, () => {}) as AsyncIterable<Uint8Array>;
  } catch (error) {
    // zlib's codes are Z_DATA_ERROR and the like, brotli's ERR__ERROR_FORMAT_... and ERR_BROTLI_...
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^(Z_|ERR_(_|BROTLI))/.test(code)) throw error;
    throw new Failure('server_error', 'the compressed answer is damaged', { cause: error });
  }
  if (cut !== undefined) throw cut.error;
}

async function createDecoder(encoding: string): Promise<Transform> {
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // Decode each piece as it arrives, and keep the part before a cut.
  const flush = constants.Z_SYNC_FLUSH;
  const brotliFlush = constants.BROTLI_OPERATION_FLUSH;
  if (/^(?:x-)?gzip$|^deflate$/.test(encoding)) return createUnzip({ flush, finishFlush: flush });
  if (encoding === 'br') {
    return createBrotliDecompress({ flush: brotliFlush, finishFlush: brotliFlush });
  }
  throw new Failure(
    'server_error',
    `the content encoding of the answer is not supported (${encoding})`,
    { transient: false },
  );
}
