import type { Failure } from '../failure.ts';
import { rephrase, RequestFailure } from './request-failure.ts';
import { waitInWords } from './wait-words.ts';

/** The service sent nothing but keep-alives for `limit` milliseconds; not asked again, as it may be generating. */
export function silence(limit: number): RequestFailure {
  return new RequestFailure(
    'unreachable',
    `the service sent no content for ${waitInWords(limit / 1000)}`,
    { transient: false, hint: 'ask again, or allow longer pauses with --idle-timeout' },
  );
}

/** The body ended without `[DONE]` or a `finish_reason`, which only a cut does. */
export function unfinished(): RequestFailure {
  return new RequestFailure(
    'server_error',
    'the answer stopped without saying that it was complete',
    {
      transient: true,
    },
  );
}

/** What ended an answer of which content came: it is never asked for again, because it would be paid twice. */
export function incomplete(cause: Failure, requestId: string | undefined): Failure {
  return rephrase(cause, {
    kind: 'incomplete',
    message: `the answer is incomplete: ${cause.message}`,
    hint: 'what came is kept; ask again for a whole answer',
    cause,
    ...(requestId !== undefined && { requestId }),
  });
}

/**
 * What ended an answer of which no content came. A limit that the service reports inside a 200 counts like a 429;
 * its other errors, and bodies that cannot be read, would come again.
 */
export function contentless(cause: Failure, requestId: string | undefined): Failure {
  const id = requestId === undefined ? {} : { requestId };
  const transient =
    cause instanceof RequestFailure ? cause.transient : cause.kind === 'rate_limited';
  if (!transient) return rephrase(cause, id);
  const { hint } = cause;
  return new RequestFailure(cause.kind, cause.message, {
    transient,
    cause,
    ...(hint !== undefined && { hint }),
    ...id,
  });
}
