import { describe, expect, test } from 'vitest';
import { createCircuitBreaker, isTransient } from '../../src/batch/circuit-breaker.ts';
import { exitCodes, Failure, type FailureKind, type FailureOptions } from '../../src/failure.ts';

describe('a circuit breaker', () => {
  const failed = (kind: FailureKind) => new Failure(kind, kind);
  const limits = {
    maxWait: 60_000,
    isReplay: false,
    mostAlike: Infinity,
    hasAnswers: () => false,
  };

  test.each(['unauthorized', 'configuration'] as const)('stops at the first %s', (kind) => {
    expect(createCircuitBreaker({ ...limits, most: 3 }).failed(failed(kind))).toBe(true);
  });

  test.each(['unreachable', 'server_error', 'rate_limited', 'not_found', 'forbidden'] as const)(
    'stops at the third consecutive %s',
    (kind) => {
      const circuitBreaker = createCircuitBreaker({ ...limits, most: 3 });
      const tries = [1, 2, 3].map(() => circuitBreaker.failed(failed(kind)));
      expect(tries).toEqual([false, false, true]);
    },
  );

  test('does not stop when a recording lacks an exchange', () => {
    const circuitBreaker = createCircuitBreaker({ ...limits, most: 1, isReplay: true });
    expect(circuitBreaker.failed(failed('configuration'))).toBe(false);
    expect(circuitBreaker.failed(failed('unauthorized'))).toBe(true);
  });

  test('stops at the first Retry-After above the limit', () => {
    const refused = (retryAfterSeconds: number) =>
      createCircuitBreaker({ ...limits, most: 3 }).failed(
        new Failure('rate_limited', 'too many requests', { retryAfterSeconds }),
      );
    expect([refused(60), refused(61)]).toEqual([false, true]);
  });

  test('counts from zero after an answer', () => {
    const circuitBreaker = createCircuitBreaker({ ...limits, most: 2 });
    circuitBreaker.failed(failed('server_error'));
    circuitBreaker.answered();
    expect(circuitBreaker.failed(failed('server_error'))).toBe(false);
  });

  test.each(['usage', 'invalid_request', 'incomplete'] as const)(
    'never stops for %s, which concerns one item',
    (kind) => {
      const circuitBreaker = createCircuitBreaker({ ...limits, most: 1 });
      expect(circuitBreaker.failed(failed(kind))).toBe(false);
    },
  );

  const alike = { ...limits, most: 9, mostAlike: 3 };
  const kinds = ['invalid_request', 'incomplete', 'no_answer'] as const;

  test.each(kinds)('stops if the first three items fail with the same %s', (kind) => {
    const circuitBreaker = createCircuitBreaker(alike);
    const tries = [1, 2, 3].map(() => circuitBreaker.failed(failed(kind)));
    expect(tries).toEqual([false, false, true]);
  });

  test('continues if the failures of items differ, or after an answer', () => {
    const different = createCircuitBreaker(alike);
    const messages = ['a', 'b', 'a', 'a', 'a'];
    const tries = messages.map((text) => different.failed(new Failure('invalid_request', text)));
    expect(tries).not.toContain(true);
    const answered = createCircuitBreaker(alike);
    answered.answered();
    for (const kind of [...kinds, ...kinds]) expect(answered.failed(failed(kind))).toBe(false);
    const resumed = createCircuitBreaker({ ...alike, hasAnswers: () => true });
    for (let item = 0; item < 5; item += 1) {
      expect(resumed.failed(failed('no_answer'))).toBe(false);
    }
  });
});

test('a rate limit, an outage and a cut answer are transient', () => {
  expect(
    (Object.keys(exitCodes) as FailureKind[]).filter((kind) => isTransient(new Failure(kind, ''))),
  ).toEqual(['rate_limited', 'server_error', 'unreachable', 'incomplete']);
});

test.each<readonly [string, FailureKind, FailureOptions, boolean]>([
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
])('%s has the expected class', (_, kind, options, is) => {
  expect(isTransient(new Failure(kind, '', options))).toBe(is);
});
