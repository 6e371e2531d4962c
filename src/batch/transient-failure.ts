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
