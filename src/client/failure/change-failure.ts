import { Failure, type FailureKind, type FailureOptions, type Remedy } from '../../failure.ts';
import type { Mask } from './error-body.ts';

/** Returns the options of `failure`, for a failure with a different kind or message. It is not sent again. */
export function detailsOf(failure: Failure): FailureOptions {
  const { remedy, status, retryAfterSeconds, requestId, attempts, contextWindow, cause } = failure;
  const { markedHint: hint } = failure;
  return { hint, remedy, status, retryAfterSeconds, requestId, attempts, contextWindow, cause };
}

/** Makes a plain Failure like `failure`, with `changes`. */
export function rephrase(
  failure: Failure,
  changes: FailureOptions & { readonly kind?: FailureKind; readonly message?: string },
): Failure {
  return new Failure(changes.kind ?? failure.kind, changes.message ?? failure.message, {
    ...detailsOf(failure),
    ...changes,
  });
}

/** natter chooses the values of these fields: a secret that looks like one of them must not change it. */
const fixedFields: ReadonlySet<string> = new Set(['code', 'limit', 'scheme', 'time', 'option']);

/** Masks secrets in the texts of a remedy: a base URL, a file, a variable. */
function maskRemedy(remedy: Remedy, mask: Mask): Remedy {
  const fields = Object.entries(remedy).map(([name, value]) => [
    name,
    typeof value === 'string' && !fixedFields.has(name) ? mask(value) : value,
  ]);
  return Object.fromEntries(fields) as Remedy;
}

/** Masks secrets in a failure, and in its causes, because loggers print those. */
export function maskFailure(failure: Failure, mask: Mask): Failure {
  const { message, markedHint: hint, remedy, requestId, cause } = failure;
  return rephrase(failure, {
    message: mask(message),
    hint: hint && mask(hint),
    remedy: remedy && maskRemedy(remedy, mask),
    requestId: requestId && mask(requestId),
    cause: maskCause(cause, mask),
  });
}

function maskCause(cause: unknown, mask: Mask): unknown {
  if (cause instanceof Failure) return maskFailure(cause, mask);
  if (!(cause instanceof Error)) return typeof cause === 'string' ? mask(cause) : cause;
  const message = mask(cause.message);
  const inner = maskCause(cause.cause, mask);
  // The parsers of Node and undici attach the bytes that they could not parse.
  const hasBytes = 'rawPacket' in cause || 'data' in cause;
  if (message === cause.message && inner === cause.cause && !hasBytes) return cause;
  const masked = new Error(message, inner === undefined ? {} : { cause: inner });
  return 'code' in cause ? Object.assign(masked, { code: cause.code }) : masked;
}
