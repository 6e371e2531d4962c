/** Why natter could not do what it was asked; one process exit code each (`natter help exit-codes`). */
export type FailureKind =
  | 'unexpected'
  | 'usage'
  | 'configuration'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'invalid_request'
  | 'rate_limited'
  | 'server_error'
  | 'unreachable'
  | 'incomplete'
  | 'storage'
  | 'no_answer';

/** What a service said beside the message; every field is absent where it said nothing. */
interface ServiceDetails {
  /** HTTP status of the answer that failed. */
  readonly status?: number;
  /** Seconds the service asked to wait. */
  readonly retryAfterSeconds?: number;
  /** `x-request-id` or its usual variants. */
  readonly requestId?: string;
  /** Requests sent, the failed one included. */
  readonly attempts?: number;
}

export interface FailureOptions extends ServiceDetails {
  /** What to type or do next; one line without a full stop is enough. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * The one error class natter throws on purpose. `message` says what happened and why in one sentence that
 * starts in lower case (it is shown after `natter: `); it may hold text from a server or a file, so whoever
 * prints it sanitizes it first.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number | undefined;

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.hint = options.hint;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.requestId = options.requestId;
    this.attempts = options.attempts;
  }
}

/**
 * The failure to tell when a part of natter that is loaded when it is needed is gone: an update replaced the files
 * of a natter that runs. Undefined for any other error.
 */
export function replacedFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') {
    return undefined;
  }
  if (!/^Cannot find module '\.\/[\w.-]+\.cjs'/.test(error.message)) return undefined;
  return new Failure(
    'unexpected',
    'natter was updated while it ran, and its files are others now',
    {
      hint: 'start it again; natter -c goes on with the conversation',
      cause: error,
    },
  );
}

/** The exit code of each kind. Signals (130, 143, 129) are not failures: they are re-raised. */
export const exitCodes: Readonly<Record<FailureKind, number>> = {
  unexpected: 1,
  usage: 2,
  configuration: 3,
  unauthorized: 4,
  forbidden: 5,
  not_found: 6,
  invalid_request: 7,
  rate_limited: 8,
  server_error: 9,
  unreachable: 10,
  incomplete: 11,
  storage: 12,
  // 13 is left for answers that do not match a schema.
  no_answer: 14,
};
