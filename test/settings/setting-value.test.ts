import { describe, expect, test } from 'vitest';

import { parseApiKey, parseParameterFlag } from '../../src/settings/setting-value.ts';
import { exampleKey, failureOf } from './fixtures/stored.ts';

describe('parseParameterFlag', () => {
  test.each(['seed=12345678901234567890', 'x=1e400', 'x=[{"y":-1e400}]', 'x=0.12345678901234567'])(
    'X14: refuses %j, which cannot be sent unchanged',
    async (text) => {
      expect(await failureOf(() => parseParameterFlag(text))).toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('JSON whose numbers natter can send unchanged') as string,
      });
    },
  );

  test.each([
    ['temperature=0.2', 'temperature', 0.2],
    ['stop=["a=b"]', 'stop', ['a=b']],
    ['user="ada"', 'user', 'ada'],
    ['x={"y":\n1}', 'x', { y: 1 }],
  ])('reads %j', (text, name, value) => {
    expect(parseParameterFlag(text)).toEqual([name, value]);
  });

  test.each(['temperature', '=1', ''])('refuses %j, which has no name or value', async (text) => {
    const failure = await failureOf(() => parseParameterFlag(text));
    expect(failure).toMatchObject({ kind: 'usage', message: '--param must be name=json' });
  });

  test.each(['END', 'high', 'json_object', 'gpt-4o:latest', 'a/b', 'user@host'])(
    'Y11: reads the word %s as text',
    (word) => {
      expect(parseParameterFlag(`stop=${word}`)).toEqual(['stop', word]);
    },
  );

  const unclear = ['two words', '{a', '"open', '1.2.3', '-', '', 'True', 'None', 'undefined'];
  test.each(unclear)(
    'Y11: refuses %j, which may be meant as JSON, with a hint about quotes',
    async (text) => {
      expect(await failureOf(() => parseParameterFlag(`stop=${text}`))).toMatchObject({
        kind: 'usage',
        message: '--param stop must be JSON or a single word',
        hint: `put text of several words in double quotes inside the shell quotes: '"two words"'`,
      });
    },
  );
});

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
    ['"example-key"', 'begins with a quote'],
    ["example-key'", 'ends with a quote'],
    ['Bearer example-key', 'starts with the word Bearer, which natter adds itself'],
  ])('K10, N13: refuses %j without showing it', async (text, problem) => {
    const failure = await failureOf(() => parseApiKey(text, 'NATTER_API_KEY', 'configuration'));
    expect(failure).toMatchObject({ kind: 'configuration', message: `NATTER_API_KEY ${problem}` });
    expect(failure.cause).toBeUndefined();
  });
});
