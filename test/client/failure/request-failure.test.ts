import { expect, test } from 'vitest';
import { maskFailure } from '../../../src/client/failure/change-failure.ts';
import { Failure, type Remedy } from '../../../src/failure.ts';

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
