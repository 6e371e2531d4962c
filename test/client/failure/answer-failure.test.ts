import { expect, test } from 'vitest';
import {
  cutAnswer,
  formatLimit,
  formatWait,
  localTimeAfter,
  noAnswer,
} from '../../../src/client/failure/answer-failure.ts';
import { maskFailure } from '../../../src/client/failure/change-failure.ts';
import { Failure, type FailureKind, type Remedy } from '../../../src/failure.ts';

const incomplete = 'the answer is incomplete: cut';

test.each([
  // The message for the total time says already that the answer is not complete.
  ['N13: --timeout', 'totalTimeout', 'cut', { code: 'raise-timeout', limit: 'totalTimeout' }],
  ['N13: a stall', 'idleTimeout', incomplete, { code: 'raise-timeout', limit: 'idleTimeout' }],
  ['a different failure', undefined, incomplete, { code: 'send-again' }],
] as const)(
  'an answer that is cut by %s is incomplete, with a remedy',
  (_, limit, message, remedy) => {
    const cause = new Failure('unreachable', 'cut', {
      remedy: limit && { code: 'raise-timeout', limit },
    });
    const failure = cutAnswer(cause, true, 'r-1');
    expect(failure).toMatchObject({ kind: 'incomplete', message, remedy, requestId: 'r-1' });
  },
);

test('S13 an error before any content is final, unless it is a rate limit', () => {
  const transient = (kind: FailureKind) => cutAnswer(new Failure(kind, 'no'), false, 'r').transient;
  expect([transient('invalid_request'), transient('rate_limited')]).toEqual([false, true]);
});

const filtered = 'the service filtered the answer (finish_reason content_filter)';
const tool = 'the model called a tool instead of answering (finish_reason tool_calls)';
const called = 'the model called a function instead of answering (finish_reason function_call)';
const refused = 'the model refused to answer';

test.each<[reason: string, parts: string, message?: string, code?: string]>([
  ['content_filter', 'text', filtered, 'rephrase-prompt'],
  ['tool_calls', 'tool', tool, 'ask-for-text'],
  ['function_call', '', called, 'ask-for-text'],
  ['stop', 'tool', tool, 'ask-for-text'],
  ['stop', 'refusal', refused, 'rephrase-prompt'],
  ['stop', 'text refusal', refused, 'rephrase-prompt'],
  ['stop', 'text'],
  ['length', 'text'],
  ['stop', ''],
  ['toString', ''],
  ['stop', 'text tool'],
])(
  'X23: a stream that ends with %s after "%s" has the failure %s',
  (reason, parts, message, code) => {
    const end = { type: 'end', complete: true, finishReason: reason } as const;
    const failure = noAnswer(
      { ...end, calledTools: parts.includes('tool') },
      { text: parts.includes('text'), refusal: parts.includes('refusal') },
    );
    expect(failure?.message).toBe(message);
    expect(failure?.remedy?.code).toBe(code);
  },
);

const mask = (text: string) =>
  text.replaceAll(/sk-secret|idleTimeout|https|12:00|retries|variable|baseUrl|file/g, '***');

test.each([
  [{ code: 'set-base-url', baseUrl: 'http://sk-secret.test' }, { baseUrl: 'http://***.test' }],
  [{ code: 'record-request', file: 'sk-secret.jsonl' }, { file: '***.jsonl' }],
  [{ code: 'check-proxy', variable: 'sk-secret_proxy' }, { variable: '***_proxy' }],
] as const)('masks the text of %j', (remedy, masked) => {
  const failure = maskFailure(new Failure('usage', 'no', { remedy }), mask);
  expect(failure.remedy).toEqual({ ...remedy, ...masked });
});

test.each<Remedy>([
  { code: 'use-https' },
  { code: 'raise-timeout', limit: 'idleTimeout' },
  { code: 'check-scheme', scheme: 'https' },
  { code: 'wait-until', time: '12:00:00', seconds: 5 },
  { code: 'correct-limit', option: 'retries' },
  { code: 'list-conversations', name: 'tea', isInTrash: true },
])('does not mask the code and the data of %j that natter chooses', (remedy) => {
  expect(maskFailure(new Failure('usage', 'no', { remedy }), mask).remedy).toEqual(remedy);
});

test('masks the message, the hint and the request id of a failure, and its causes', () => {
  const cause = new Error('sk-secret', { cause: new Failure('usage', 'sk-secret') });
  const details = { hint: 'sk-secret', requestId: 'sk-secret', cause };
  const masked = maskFailure(new Failure('usage', 'sk-secret', details), mask);
  expect(masked).toMatchObject({
    kind: 'usage',
    message: '***',
    hint: '***',
    requestId: '***',
    cause: { message: '***', cause: { message: '***', kind: 'usage' } },
  });
});

test.each([
  [0.3, '1 second'],
  [1, '1 second'],
  [59.2, '1 minute'],
  [120, '2 minutes'],
  [90, '1 minute 30 seconds'],
  [3_605, '1 hour'],
  [3_900, '1 hour 5 minutes'],
  [86_400 * 3 + 7_200, '3 days 2 hours'],
])('formats a wait of %d seconds as "%s"', (seconds, words) => {
  expect(formatWait(seconds)).toBe(words);
});

test.each([
  [1, '1 millisecond'],
  [500, '500 milliseconds'],
  [1000, '1 second'],
  [1500, '1.5 seconds'],
  [90_000, '90 seconds'],
  [600_000, '10 minutes'],
  [3_600_000, '1 hour'],
  [86_400_000 * 3, '3 days'],
])('Y4: formats a limit of %d milliseconds exactly, as "%s"', (milliseconds, words) => {
  expect(formatLimit(milliseconds)).toBe(words);
});

test('formats the local time, with the date if it is a day away', () => {
  const now = new Date(2026, 11, 31, 14, 5, 1);
  expect(localTimeAfter(65, now)).toBe('14:06:06');
  expect(localTimeAfter(86_400, now)).toBe('2027-01-01 14:05:01');
});
