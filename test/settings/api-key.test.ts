import { describe, expect, test } from 'vitest';

import { parseApiKey } from '../../src/settings/api-key.ts';
import { exampleKey, failureOf } from './fixtures/stored.ts';

describe('parseApiKey', () => {
  test.each([` ${exampleKey}`, `${exampleKey}\n`, `\r\n\t${exampleKey}  `])(
    'K11 trims spaces around a key: %j',
    (text) => {
      expect(parseApiKey(text, 'NATTER_API_KEY', 'configuration')).toBe(exampleKey);
    },
  );

  test.each([
    ['', 'is empty'],
    [' \n', 'is empty'],
    ['example\nkey', 'contains a line break'],
    ['example\u00e9key', 'contains a character that is not plain ASCII (U+00E9 at position 8)'],
    ['example\u0000key', 'contains a character that is not plain ASCII (U+0000 at position 8)'],
    ['ex\u00e4mple key', 'contains a space'],
    ['Bearer example-key', 'starts with the word Bearer, which natter adds itself'],
  ])('K10 refuses %j without showing it', async (text, problem) => {
    const failure = await failureOf(() => parseApiKey(text, 'NATTER_API_KEY', 'configuration'));
    expect(failure).toMatchObject({ kind: 'configuration', message: `NATTER_API_KEY ${problem}` });
    expect(failure.cause).toBeUndefined();
  });
});
