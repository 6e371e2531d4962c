import { Failure, type FailureKind, type FailureOptions, type Remedy } from '../../failure.ts';

export interface RequestFailureOptions extends FailureOptions {
  /** Whether the same request may succeed when it is sent again. */
  readonly transient: boolean;
  /** Milliseconds of the service's `Retry-After`; can be Infinity. */
  readonly askedDelay?: number | undefined;
}

/** Why one request failed, with what the retry policy needs to know. Leaves the client only as a plain Failure. */
export class RequestFailure extends Failure {
  readonly transient: boolean;
  readonly askedDelay: number | undefined;

  constructor(kind: FailureKind, message: string, options: RequestFailureOptions) {
    super(kind, message, options);
    this.transient = options.transient;
    this.askedDelay = options.askedDelay;
  }
}

/** The remedy with each text of its data changed; the code stays. */
export function mapRemedy(remedy: Remedy, change: (text: string) => string): Remedy {
  const data = Object.entries(remedy).map(([name, value]) => [
    name,
    name !== 'code' && typeof value === 'string' ? change(value) : value,
  ]);
  return Object.fromEntries(data) as Remedy;
}

/** The options of `failure`, for one with a different kind or message. */
export function detailsOf(failure: Failure): FailureOptions {
  const { hint, remedy, status, retryAfterSeconds, requestId, attempts, cause } = failure;
  return {
    ...(hint !== undefined && { hint }),
    ...(remedy !== undefined && { remedy }),
    ...(status !== undefined && { status }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(requestId !== undefined && { requestId }),
    ...(attempts !== undefined && { attempts }),
    ...(cause !== undefined && { cause }),
  };
}

/** A plain Failure like `failure`, with `changes`. */
export function rephrase(
  failure: Failure,
  changes: FailureOptions & { readonly kind?: FailureKind; readonly message?: string },
): Failure {
  return new Failure(changes.kind ?? failure.kind, changes.message ?? failure.message, {
    ...detailsOf(failure),
    ...changes,
  });
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
