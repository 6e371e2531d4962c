import { expect, test } from 'vitest';
import { isTransient } from '../../src/batch/circuit-breaker.ts';
import { exitCodes, Failure, type FailureKind, type FailureOptions } from '../../src/failure.ts';

const kinds = Object.keys(exitCodes) as FailureKind[];

test('a rate limit, an outage and a cut answer are transient', () => {
  expect(kinds.filter((kind) => isTransient(new Failure(kind, '')))).toEqual([
    'rate_limited',
    'server_error',
    'unreachable',
    'incomplete',
  ]);
});

const rows: readonly [title: string, kind: FailureKind, options: FailureOptions, is: boolean][] = [
  ['an exhausted quota', 'rate_limited', { remedy: { code: 'check-quota' } }, false],
  ['an answer cut by --max-tokens', 'incomplete', { remedy: { code: 'raise-max-tokens' } }, false],
  ['a rate limit', 'rate_limited', { remedy: { code: 'slow-down' } }, true],
  ['an unknown authority', 'unreachable', { remedy: { code: 'trust-authority' } }, false],
  ['a refused connection', 'unreachable', { remedy: { code: 'check-connection' } }, true],
  [
    'a server without TLS',
    'unreachable',
    { remedy: { code: 'check-scheme', scheme: 'http' } },
    false,
  ],
  [
    'a connection closed early',
    'unreachable',
    { remedy: { code: 'check-scheme', scheme: 'https' } },
    true,
  ],
];

test.each(rows)('%s has the expected class', (_, kind, options, is) => {
  expect(isTransient(new Failure(kind, '', options))).toBe(is);
});
