import type { Failure, FailureKind } from '../failure.ts';

/** Failures that another run, minutes later, may not have. */
const transientKinds: ReadonlySet<FailureKind> = new Set([
  'rate_limited',
  'server_error',
  'unreachable',
  'incomplete',
]);

/** Remedies for which somebody has to act first. */
const lastingRemedies: ReadonlySet<string> = new Set([
  'check-quota',
  'check-base-url',
  'correct-base-url',
  'set-base-url',
  'use-https',
  'raise-header-limit',
  'trust-authority',
  'trust-certificate',
  'check-clock',
  'raise-max-tokens',
  'replace-certificate',
]);

/** Whether another run of the same command can help, so that a scheduler may queue it again. */
export function isTransient({ kind, remedy }: Failure): boolean {
  if (!transientKinds.has(kind)) return false;
  if (remedy === undefined) return true;
  // The server does not speak TLS. A server that expects TLS looks the same as one that crashed.
  if (remedy.code === 'check-scheme') return remedy.scheme !== 'http';
  return !lastingRemedies.has(remedy.code);
}

/** Failures that every other item would have, too. */
const permanent: ReadonlySet<FailureKind> = new Set(['unauthorized', 'configuration']);
/** Kinds of failures that are usually caused by the item itself. */
export const ofItems: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'incomplete',
  'mismatch',
  'no_answer',
]);

/** Detects failures that other items would have, too: of the service, or of what all items have in common. */
export function createCircuitBreaker({
  most,
  maxWait,
  isReplay,
  mostAlike,
  hasAnswers,
}: {
  /** Consecutive failures, not caused by items, that stop the run. */
  readonly most: number;
  /** Milliseconds; a longer Retry-After stops the run, because the other items would fail, too. */
  readonly maxWait: number;
  /** A recording answers: a missing exchange, a `configuration` failure, concerns one item only. */
  readonly isReplay: boolean;
  /** Failures caused by items that stop the run if they are alike and there was no answer; `Infinity` for none. */
  readonly mostAlike: number;
  /** Whether an earlier run got an answer. */
  readonly hasAnswers: () => boolean;
}) {
  let consecutive = 0;
  let first: string | undefined;
  /** Failures like the first one; never enough after an answer or a different failure. */
  let alike = 0;
  return {
    answered(): void {
      consecutive = 0;
      alike = -Infinity;
    },
    /** @returns whether to stop the run */
    failed({ kind, message, retryAfterSeconds = 0 }: Failure): boolean {
      const cause = `${kind} ${message}`;
      first ??= cause;
      alike += cause === first ? 1 : -Infinity;
      if (isReplay && kind === 'configuration') return false;
      if (ofItems.has(kind)) return alike >= mostAlike && !hasAnswers();
      consecutive += 1;
      const isLongWait = kind === 'rate_limited' && retryAfterSeconds * 1000 > maxWait;
      return permanent.has(kind) || isLongWait || consecutive >= most;
    },
  };
}
