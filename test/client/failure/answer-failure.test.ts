import { expect, test } from 'vitest';
import { cutAnswer } from '../../../src/client/failure/answer-failure.ts';
import { maskFailure } from '../../../src/client/failure/change-failure.ts';
import { Failure, type Remedy } from '../../../src/failure.ts';

test.each([
  // The message for the total time says already that the answer is not complete.
  ['N13: --timeout', 'totalTimeout', 'cut', { code: 'raise-timeout', limit: 'totalTimeout' }],
  [
    'N13: a stall',
    'idleTimeout',
    'the answer is incomplete: cut',
    { code: 'raise-timeout', limit: 'idleTimeout' },
  ],
  ['a different failure', undefined, 'the answer is incomplete: cut', { code: 'send-again' }],
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
