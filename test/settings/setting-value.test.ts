import { describe, expect, test } from 'vitest';

import { parseParameterFlag } from '../../src/settings/setting-value.ts';
import { failureOf } from './fixtures/stored.ts';

describe('parseParameterFlag', () => {
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

  test('refuses text without quotes and says how to quote it', async () => {
    expect(await failureOf(() => parseParameterFlag('stop=END'))).toMatchObject({
      kind: 'usage',
      message: '--param stop must be JSON',
      hint: `text needs double quotes within the shell's own: '"text"'`,
    });
  });
});
