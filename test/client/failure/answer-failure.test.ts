import { expect, test } from 'vitest';
import { incompleteAnswer } from '../../../src/client/failure/answer-failure.ts';
import { Failure } from '../../../src/failure.ts';

const limited = (message: string, limit: 'totalTimeout' | 'idleTimeout') =>
  new Failure('unreachable', message, { remedy: { code: 'raise-timeout', limit } });

test('N13: an answer that --timeout cuts says so once, and how to raise the limit', () => {
  const cause = limited('the answer was not complete within 2 seconds', 'totalTimeout');
  expect(incompleteAnswer(cause, {})).toMatchObject({
    kind: 'incomplete',
    message: 'the answer was not complete within 2 seconds',
    remedy: { code: 'raise-timeout', limit: 'totalTimeout' },
  });
});

test('N13: an answer that stalls names the limit, too', () => {
  const cause = limited('the service sent no content for 5 minutes', 'idleTimeout');
  expect(incompleteAnswer(cause, {})).toMatchObject({
    message: 'the answer is incomplete: the service sent no content for 5 minutes',
    remedy: { code: 'raise-timeout', limit: 'idleTimeout' },
  });
});

test('an answer that is cut for another reason can be sent again', () => {
  const cause = new Failure('server_error', 'cut');
  expect(incompleteAnswer(cause, { requestId: 'r-1' })).toMatchObject({
    message: 'the answer is incomplete: cut',
    remedy: { code: 'send-again' },
    requestId: 'r-1',
  });
});
