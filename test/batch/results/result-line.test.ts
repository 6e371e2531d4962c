import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { promptFingerprint, readFingerprint } from '../../../src/batch/fingerprint.ts';
import {
  isAccepted,
  parseResultLine,
  parseResultName,
  resultName,
} from '../../../src/batch/results/result-line.ts';

const hash = 'f6e863f79b241bbe';

test('the name of a result has its index and the hash of its prompt', () => {
  expect(resultName(7, hash)).toBe('natter-7-f6e863f79b241bbe');
  expect(parseResultName(resultName(7, hash))).toEqual({ index: 7, fingerprint: hash });
  expect(parseResultName(resultName(7, undefined))).toEqual({ index: 7, fingerprint: undefined });
});

test.each(['natter', 'natter-x', 'natter-7-xyz', 'batch_req_1', 7, null])(
  '%j is not the name of a result',
  (name) => {
    expect(parseResultName(name)).toBeUndefined();
  },
);

test('a result with the id of a completion of the sandbox is from the sandbox', () => {
  const line = (id: string) => JSON.stringify({ index: 1, completion_id: id });
  expect(parseResultLine(line('chatcmpl-sandbox12'))).toMatchObject({ isFromSandbox: true });
  expect(parseResultLine(line('chatcmpl-8QyH'))).toMatchObject({ isFromSandbox: false });
});

const response = { status_code: 200, request_id: '', body: {} };

test.each([
  [{ response, error: null }, true],
  [{ response }, true],
  [{ response: { ...response, status_code: 429 }, error: null }, false],
  [{ response, error: { code: 'incomplete', message: 'x' } }, false],
  [{ response: null, error: null }, false],
])('a line of an OpenAI batch with %j is answered: %s', (fields, isAnswered) => {
  expect(isAccepted(fields)).toBe(isAnswered);
});

const messages = [{ role: 'user' as const, content: 'why?' }];

test('a fingerprint is the first 64 bits of SHA-256 of the id and the messages', () => {
  const digest = createHash('sha256')
    .update(JSON.stringify(['a', messages]))
    .digest('hex');
  expect(promptFingerprint('a', messages)).toBe(digest.slice(0, 16));
});

test.each(['0000000000000000', 'ffffffffffffffff'])('%s is a fingerprint', (text) => {
  expect(readFingerprint(text)).toBe(text);
});

test.each([undefined, 1, '', 'f', 'g000000000000000', '00000000000000000'])(
  'anything else is not a fingerprint: %s',
  (value) => {
    expect(readFingerprint(value)).toBeUndefined();
  },
);
