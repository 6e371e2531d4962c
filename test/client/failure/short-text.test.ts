import { expect, test } from 'vitest';
import { shortText } from '../../../src/client/failure/short-text.ts';
import { parseErrorBody } from '../../../src/client/failure/error-body.ts';
import { requestIdOf } from '../../../src/client/http/response-headers.ts';

const secret = 'sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c';
const mask = (text: string) => text.replaceAll(secret, '***');

/** Texts with the secret at each place around a cut. */
const around = (cut: number) =>
  Array.from(
    { length: 60 },
    (_place, index) => `${'x '.repeat(cut).slice(0, cut - 50 + index)}${secret}`,
  );

test.each([500, 2000])('X2: no part of a secret is left where a text is cut at %d', (cut) => {
  for (const text of around(cut)) {
    const shown = [
      shortText(text, mask),
      parseErrorBody(JSON.stringify({ error: { message: text } }), undefined, mask).message,
      parseErrorBody(text, 'text/plain', mask).message,
      requestIdOf({ 'x-request-id': text }, mask),
    ];
    expect(shown.filter((one) => one?.includes('sk-live'))).toEqual([]);
  }
});
