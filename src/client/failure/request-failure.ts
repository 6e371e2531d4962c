import { Failure, type FailureKind, type FailureOptions } from '../../failure.ts';

export interface RequestFailureOptions extends FailureOptions {
  /** Whether the same request may succeed when it is sent again. */
  readonly transient: boolean;
  /** Of the service's `Retry-After`; can be Infinity. */
  readonly retryAfterMilliseconds?: number | undefined;
}

/** Why one request failed, with what the retry policy needs to know. The client throws only plain Failures. */
export class RequestFailure extends Failure {
  readonly transient: boolean;
  readonly retryAfterMilliseconds: number | undefined;

  constructor(kind: FailureKind, message: string, options: RequestFailureOptions) {
    super(kind, message, options);
    this.transient = options.transient;
    this.retryAfterMilliseconds = options.retryAfterMilliseconds;
  }
}

/** The options of `failure`, for a failure with a different kind or message. */
export function detailsOf(failure: Failure): FailureOptions {
  const { hint, remedy, status, retryAfterSeconds, requestId, attempts, contextWindow, cause } =
    failure;
  return {
    ...(hint !== undefined && { hint }),
    ...(remedy !== undefined && { remedy }),
    ...(status !== undefined && { status }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(requestId !== undefined && { requestId }),
    ...(attempts !== undefined && { attempts }),
    ...(contextWindow !== undefined && { contextWindow }),
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
