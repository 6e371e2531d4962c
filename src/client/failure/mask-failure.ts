import { Failure, type Remedy } from '../../failure.ts';
import { rephrase } from './request-failure.ts';
import type { Mask } from './short-text.ts';

/** Fields whose values natter chooses: a secret that looks like one of these values must not change it. */
const fixedFields: ReadonlySet<string> = new Set(['code', 'limit', 'scheme', 'time', 'option']);

/** The remedy with secrets masked in its texts: a base URL, a file, a variable. */
export function maskRemedy(remedy: Remedy, mask: Mask): Remedy {
  const fields = Object.entries(remedy).map(([name, value]) => [
    name,
    typeof value === 'string' && !fixedFields.has(name) ? mask(value) : value,
  ]);
  return Object.fromEntries(fields) as Remedy;
}

/** The failure with secrets masked, also in its causes, because loggers print those. */
export function maskFailure(failure: Failure, mask: Mask): Failure {
  const { message, hint, remedy, requestId, cause } = failure;
  return rephrase(failure, {
    message: mask(message),
    ...(hint !== undefined && { hint: mask(hint) }),
    ...(remedy !== undefined && { remedy: maskRemedy(remedy, mask) }),
    ...(requestId !== undefined && { requestId: mask(requestId) }),
    ...(cause !== undefined && { cause: maskCause(cause, mask) }),
  });
}

function maskCause(cause: unknown, mask: Mask): unknown {
  if (cause instanceof Failure) return maskFailure(cause, mask);
  if (!(cause instanceof Error)) return typeof cause === 'string' ? mask(cause) : cause;
  const message = mask(cause.message);
  const inner = maskCause(cause.cause, mask);
  // Node's HTTP parser attaches the bytes that it could not parse.
  if (message === cause.message && inner === cause.cause && !('rawPacket' in cause)) return cause;
  const masked = new Error(message, inner === undefined ? {} : { cause: inner });
  return 'code' in cause ? Object.assign(masked, { code: cause.code }) : masked;
}
