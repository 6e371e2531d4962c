import { pipeline, type Readable } from 'node:stream';
import { type Clock, startTimer } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { timedOut } from '../failure/answer-failure.ts';
import { networkFailure, proxyRefused } from '../failure/network-failure.ts';
import type { Route } from './route.ts';
import { followSignals } from './timer.ts';
import type { ExchangeLimits, HttpRequest, ResponseHeaders, Transport } from './transport.ts';

/** Sends a request with a library for HTTP, which ends the request or the body of its response when `signal` aborts. */
export type Open = (
  request: HttpRequest,
  signal: AbortSignal,
) => Promise<{
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Readable;
}>;

/** Adds a time limit, aborts and natter's failures to a library for HTTP. Redirects are not followed. */
export function sendWith(
  open: Open,
  route: Route,
  limits: ExchangeLimits,
  clock: Clock,
): Transport {
  return async (request, caller) => {
    caller.throwIfAborted();
    const { controller, unfollow } = followSignals(caller);
    const { signal } = controller;
    const stopTimer = startTimer(clock, limits.firstByteTimeout, () =>
      controller.abort(timedOut('firstByteTimeout', limits, route.target)),
    );
    const aborted = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    try {
      // A request that has no connection yet does not end by itself.
      const { status, headers, body } = await Promise.race([open(request, signal), aborted]);
      // The reader of the body gets the error, but without a listener Node would exit.
      body.on('error', () => {});
      body.once('close', unfollow);
      if (status === 407 && route.proxy !== undefined) throw proxyRefused(status, route);
      const explain = (error: unknown) =>
        signal.aborted ? signal.reason : networkFailure(error, 'answering', route);
      return {
        status,
        headers,
        body: readBody(body, headers, explain, clock),
        destroy: (reason) => controller.abort(reason),
      };
    } catch (error) {
      unfollow();
      const reason = signal.aborted ? signal.reason : networkFailure(error, 'waiting', route);
      controller.abort(reason);
      throw reason;
    } finally {
      stopTimer();
    }
  };
}

/** The milliseconds for the body's end after its reader has finished, so that the connection can be reused. */
const lingerTime = 50;

/**
 * Decodes a body. After the reader has stopped, the rest is thrown away for a moment, then the connection is closed.
 * @param explain maps errors of the connection
 */
async function* readBody(
  body: Readable,
  headers: ResponseHeaders,
  explain: (error: unknown) => unknown,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  try {
    const { 'content-encoding': sent = '' } = headers;
    const encoding = String(sent).trim().toLowerCase();
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
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  const isZip = /^(?:x-)?gzip$|^deflate$/.test(encoding);
  if (!isZip && encoding !== 'br') {
    const message = `the content encoding of the answer is not supported (${encoding})`;
    throw new Failure('server_error', message, { transient: false });
  }
  // Decode each piece as it arrives, and keep the part before a cut.
  const flush = isZip ? constants.Z_SYNC_FLUSH : constants.BROTLI_OPERATION_FLUSH;
  const options = { flush, finishFlush: flush };
  const decoder = isZip ? createUnzip(options) : createBrotliDecompress(options);
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
