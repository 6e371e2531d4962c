import { describe, expect, test } from 'vitest';
import cliTruncate from '../scripts/bundle/cli-truncate.js';

const red = (text: string) => `\u001B[31m${text}\u001B[39m`;
const link = (text: string) => `\u001B]8;;https://example.com\u0007${text}\u001B]8;;\u0007`;

describe('the bundle cuts a row of Ink', () => {
  test.each([
    ['that fits', 'abcdef', 6, 'abcdef'],
    ['that is too wide', 'abcdef', 5, 'abcd…'],
    ['to one column', 'abcdef', 1, '…'],
    ['without a column', 'abcdef', 0, ''],
    ['before a wide character that is only partly inside', 'ab漢字', 4, 'ab…'],
    ['after a wide character', 'ab漢字', 5, 'ab漢…'],
    ['after a family of several code points', '👨‍👩‍👧ab', 3, '👨‍👩‍👧…'],
    ['with colours', red('abcdef'), 4, `${red('abc')}…`],
    ['with a link', link('abcdef'), 4, `${link('abc')}…`],
  ])('%s', (_row, text, columns, cut) => {
    expect(cliTruncate(text, columns)).toBe(cut);
  });
});
