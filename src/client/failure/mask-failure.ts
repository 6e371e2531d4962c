import { Failure } from '../../failure.ts';
import { rephrase } from './request-failure.ts';

type Mask = (text: string) => string;

/** The failure without secrets, in its causes either: whoever logs an error logs them as well. */
export function maskFailure(failure: Failure, mask: Mask): Failure {
  const { message, hint, requestId, cause } = failure;
  return rephrase(failure, {
    message: mask(message),
    ...(hint !== undefined && { hint: mask(hint) }),
    ...(requestId !== undefined && { requestId: mask(requestId) }),
    ...(cause !== undefined && { cause: maskCause(cause, mask) }),
  });
}

function maskCause(cause: unknown, mask: Mask): unknown {
  if (cause instanceof Failure) return maskFailure(cause, mask);
  if (!(cause instanceof Error)) return typeof cause === 'string' ? mask(cause) : cause;
  const message = mask(cause.message);
  const inner = maskCause(cause.cause, mask);
  // Node's parser of HTTP adds the bytes that it could not read.
  if (message === cause.message && inner === cause.cause && !('rawPacket' in cause)) return cause;
  const masked = new Error(message, inner === undefined ? {} : { cause: inner });
  return 'code' in cause ? Object.assign(masked, { code: cause.code }) : masked;
}
