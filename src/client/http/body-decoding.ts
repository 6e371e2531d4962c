import type { Transform } from 'node:stream';
import { RequestFailure } from '../failure/request-failure.ts';

/**
 * Decodes everything received of a cut body before it throws.
 * @throws RequestFailure for a damaged body or an unknown encoding; any error of `received`
 */
export async function* decodeBody(
  received: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const decoder = await createDecoder(encoding);
  const { pipeline } = await import('node:stream');
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
    throw damagedBody(error) ?? error;
  }
  if (cut !== undefined) throw cut.error;
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
