import { Failure, type Remedy } from '../../failure.ts';
import { rephrase } from './request-failure.ts';

/** The remedy with each text of its data changed; the code stays. */
export function mapRemedy(remedy: Remedy, change: (text: string) => string): Remedy {
  const data = Object.entries(remedy).map(([name, value]) => [
    name,
    name !== 'code' && typeof value === 'string' ? change(value) : value,
  ]);
  return Object.fromEntries(data) as Remedy;
}

type Mask = (text: string) => string;

/** The failure with secrets masked, in its causes too, as loggers print those. */
export function maskFailure(failure: Failure, mask: Mask): Failure {
  const { message, hint, remedy, requestId, cause } = failure;
  return rephrase(failure, {
    message: mask(message),
    ...(hint !== undefined && { hint: mask(hint) }),
    ...(remedy !== undefined && { remedy: mapRemedy(remedy, mask) }),
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
