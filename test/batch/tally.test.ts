import { describe, expect, test } from 'vitest';
import {
  countFailure,
  createCircuitBreaker,
  emptyTally,
  isTransient,
} from '../../src/batch/tally.ts';
import {
  exitCodes,
  Failure,
  type FailureKind,
  type FailureOptions,
  type Remedy,
} from '../../src/failure.ts';

const item = (index: number) => ({ index, line: 10 * index, id: undefined });

test('failures are counted in total and by cause', () => {
  const tally = emptyTally();
  countFailure(tally, new Failure('server_error', ''), item(1));
  countFailure(tally, new Failure('rate_limited', ''), item(2));
  countFailure(tally, new Failure('server_error', ''), item(1));
  expect(tally.failed).toBe(3);
  expect([...tally.causes].map(([kind, { count }]) => [kind, count])).toEqual([
    ['server_error', 2],
    ['rate_limited', 1],
  ]);
});

test('of each kind, the failed item that is first in the input is kept as an example', () => {
  const tally = emptyTally();
  const ends = [3, 2, 4].map((index) => ({
    failure: new Failure('unreachable', `failure ${index}`),
    item: item(index),
  }));
  for (const end of ends) countFailure(tally, end.failure, end.item);
  expect([...tally.causes]).toEqual([['unreachable', { ...ends[1], count: 3 }]]);
});

const failed = (kind: FailureKind, message: string = kind, options: FailureOptions = {}) =>
  new Failure(kind, message, options);

/** Whether a circuit breaker stops at each of these failures; `answer` is an answer between them. */
function stopsAt(
  ends: readonly (Failure | 'answer')[],
  options: Partial<Parameters<typeof createCircuitBreaker>[0]> = {},
) {
  const circuitBreaker = createCircuitBreaker({
    most: 3,
    maxWait: 60_000,
    isReplay: false,
    mostAlike: Infinity,
    hasAnswers: () => false,
    ...options,
  });
  return ends.map((end) =>
    end === 'answer' ? circuitBreaker.answered() : circuitBreaker.failed(end),
  );
}

const three = (kind: FailureKind) => [failed(kind), failed(kind), failed(kind)];
const later = (retryAfterSeconds: number) => failed('rate_limited', '', { retryAfterSeconds });

describe('a circuit breaker', () => {
  test.each(['unauthorized', 'configuration'] as const)('stops at the first %s', (kind) => {
    expect(stopsAt([failed(kind)])).toEqual([true]);
  });

  test.each(['unreachable', 'server_error', 'rate_limited', 'not_found', 'forbidden'] as const)(
    'stops at the third consecutive %s',
    (kind) => {
      expect(stopsAt(three(kind))).toEqual([false, false, true]);
      const [one, two, last] = three(kind) as [Failure, Failure, Failure];
      expect(stopsAt([one, two, 'answer', last])).toEqual([false, false, undefined, false]);
    },
  );

  test('does not stop when a recording lacks an exchange', () => {
    const ends = [failed('configuration'), failed('unauthorized')];
    expect(stopsAt(ends, { most: 1, isReplay: true })).toEqual([false, true]);
  });

  test('stops at the first Retry-After above the limit', () => {
    expect([stopsAt([later(60)]), stopsAt([later(61)])]).toEqual([[false], [true]]);
  });

  test.each(['usage', 'invalid_request', 'incomplete', 'no_answer'] as const)(
    'stops for %s, which concerns one item, only if the first three fail alike',
    (kind) => {
      const mostAlike = 3;
      expect(stopsAt(three(kind), { most: 1 })).toEqual([false, false, false]);
      expect(stopsAt(three(kind), { mostAlike })).toEqual([false, false, true]);
      const resumed = { mostAlike, hasAnswers: () => true };
      expect(stopsAt(three(kind), resumed)).toEqual([false, false, false]);
      expect(stopsAt(['answer', ...three(kind)], { mostAlike })).not.toContain(true);
      const different = ['a', 'b', 'a', 'a', 'a'].map((text) => failed(kind, text));
      expect(stopsAt(different, { mostAlike })).not.toContain(true);
    },
  );
});

test('a rate limit, an outage and a cut answer are transient', () => {
  expect(
    (Object.keys(exitCodes) as FailureKind[]).filter((kind) => isTransient(new Failure(kind, ''))),
  ).toEqual(['rate_limited', 'server_error', 'unreachable', 'incomplete']);
});

test.each<readonly [string, FailureKind, Remedy, boolean]>([
  ['an exhausted quota', 'rate_limited', { code: 'check-quota' }, false],
  ['an answer cut by --max-tokens', 'incomplete', { code: 'raise-max-tokens' }, false],
  ['a rate limit', 'rate_limited', { code: 'slow-down' }, true],
  ['an unknown authority', 'unreachable', { code: 'trust-authority' }, false],
  ['a refused connection', 'unreachable', { code: 'check-connection' }, true],
  ['a server without TLS', 'unreachable', { code: 'check-scheme', scheme: 'http' }, false],
  ['a connection closed early', 'unreachable', { code: 'check-scheme', scheme: 'https' }, true],
])('%s has the expected class', (_, kind, remedy, is) => {
  expect(isTransient(new Failure(kind, '', { remedy }))).toBe(is);
});
