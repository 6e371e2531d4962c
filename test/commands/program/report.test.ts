import { expect, test } from 'vitest';
import { describeFailure } from '../../../src/commands/program/report.ts';
import { createSecrets } from '../../../src/commands/program/secrets.ts';
import { Failure } from '../../../src/failure.ts';
import { expectNoSecret, secretForms, secretKey } from '../../support/secret.ts';

const echo = secretForms.join(' ');

test.each([
  ['an error that nothing expects', new Error(echo, { cause: new TypeError(echo) })],
  ['a failure with a hint and a cause', new Failure('usage', echo, { hint: echo, cause: echo })],
  ['a thrown text', echo],
])('X2: a report of a crash, %s, holds no secret', (_, thrown) => {
  const environment = { NATTER_API_KEY: secretKey, NATTER_DEBUG: '1' };
  const context = { environment, secrets: createSecrets(environment) };
  for (const words of [['hi'], ['hi', '--json']]) {
    const { text } = describeFailure(thrown, context, words);
    expect(text).toContain('***');
    expectNoSecret(text);
  }
});
