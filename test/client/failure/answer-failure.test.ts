import { expect, test } from 'vitest';
import { cutAnswer } from '../../../src/client/failure/answer-failure.ts';
import { maskFailure } from '../../../src/client/failure/change-failure.ts';
import { Failure, type Remedy } from '../../../src/failure.ts';

const limited = (message: string, limit: 'totalTimeout' | 'idleTimeout') =>
  new Failure('unreachable', message, { remedy: { code: 'raise-timeout', limit } });

test('N13: an answer that --timeout cuts says so once, and how to raise the limit', () => {
  const cause = limited('the answer was not complete within 2 seconds', 'totalTimeout');
  expect(cutAnswer(cause, true, undefined)).toMatchObject({
    kind: 'incomplete',
    message: 'the answer was not complete within 2 seconds',
    remedy: { code: 'raise-timeout', limit: 'totalTimeout' },
  });
});

test('N13: an answer that stalls names the limit, too', () => {
  const cause = limited('the service sent no content for 5 minutes', 'idleTimeout');
  expect(cutAnswer(cause, true, undefined)).toMatchObject({
    message: 'the answer is incomplete: the service sent no content for 5 minutes',
    remedy: { code: 'raise-timeout', limit: 'idleTimeout' },
  });
});

test('an answer that is cut for another reason can be sent again', () => {
  const cause = new Failure('server_error', 'cut');
  expect(cutAnswer(cause, true, 'r-1')).toMatchObject({
    message: 'the answer is incomplete: cut',
    remedy: { code: 'send-again' },
    requestId: 'r-1',
  });
});

const mask = (text: string) =>
  text.replaceAll(/sk-secret|idleTimeout|https|12:00|retries|variable|baseUrl|file/g, '***');

test.each<readonly [remedy: Remedy, masked: Remedy]>([
  [
    { code: 'set-base-url', baseUrl: 'http://sk-secret.test' },
    { code: 'set-base-url', baseUrl: 'http://***.test' },
  ],
  [
    { code: 'record-request', file: 'sk-secret.jsonl' },
    { code: 'record-request', file: '***.jsonl' },
  ],
  [
    { code: 'check-proxy', variable: 'sk-secret_proxy' },
    { code: 'check-proxy', variable: '***_proxy' },
  ],
])('masks the text of %j', (remedy, masked) => {
  expect(maskFailure(new Failure('usage', 'no', { remedy }), mask).remedy).toEqual(masked);
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
