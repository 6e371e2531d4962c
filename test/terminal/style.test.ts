import { describe, expect, test } from 'vitest';
import { colorStyle, hasColor, plainStyle, type Look } from '../../src/terminal/style.ts';

describe('colour', () => {
  test.each<
    [string, boolean, 'always' | 'never' | 'auto' | undefined, Record<string, string>, boolean]
  >([
    ['is on for a terminal', true, undefined, {}, true],
    ['T19 is off for a pipe', false, undefined, {}, false],
    ['is off for a pipe with --color=auto', false, 'auto', {}, false],
    ['T19 is off with TERM=dumb', true, undefined, { TERM: 'dumb' }, false],
    ['T19 is off with NO_COLOR', true, undefined, { NO_COLOR: '1' }, false],
    ['is on with an empty NO_COLOR', true, undefined, { NO_COLOR: '' }, true],
    [
      'is off with NO_COLOR and FORCE_COLOR',
      true,
      undefined,
      { NO_COLOR: '1', FORCE_COLOR: '1' },
      false,
    ],
    ['is on with --color=always and NO_COLOR', false, 'always', { NO_COLOR: '1' }, true],
    ['is off with --color=never and FORCE_COLOR', true, 'never', { FORCE_COLOR: '1' }, false],
    ['is on for a pipe with FORCE_COLOR', false, undefined, { FORCE_COLOR: '1' }, true],
    ['is on for a pipe with CLICOLOR_FORCE', false, undefined, { CLICOLOR_FORCE: '1' }, true],
    [
      'is on with FORCE_COLOR and TERM=dumb',
      true,
      undefined,
      { FORCE_COLOR: '3', TERM: 'dumb' },
      true,
    ],
    ['is off for a pipe with FORCE_COLOR=0', false, undefined, { FORCE_COLOR: '0' }, false],
    ['is off for a pipe with CLICOLOR_FORCE=0', false, undefined, { CLICOLOR_FORCE: '0' }, false],
  ])('%s', (_name, isTerminal, option, environment, expected) => {
    expect(hasColor({ isTerminal, option, environment })).toBe(expected);
  });
});

const looks = Object.keys(plainStyle).filter((name) => name !== 'colored') as Look[];

describe('the style with colours', () => {
  test.each(looks)('T19 %s changes nothing without colour', (look) => {
    expect(plainStyle[look]('text')).toBe('text');
  });

  // Without a known background there is no band.
  test.each(looks.filter((look) => look !== 'band'))(
    '%s opens one of the 16 colours or an attribute, and closes it',
    (look) => {
      const painted = colorStyle[look]('text');
      expect(painted).toMatch(/^\u001B\[(?:[123479]|3[1-6])mtext\u001B\[(?:2[23479]|39)m$/);
    },
  );

  test('T14 closes its codes before each line end', () => {
    expect(colorStyle.red('a\n\nb')).toBe('\u001B[31ma\u001B[39m\n\n\u001B[31mb\u001B[39m');
  });

  test('reopens a look after an inner one that ends with the same code', () => {
    const style = colorStyle;
    expect(style.bold(`a${style.dim('b')}c`)).toBe(
      '\u001B[1ma\u001B[2mb\u001B[22m\u001B[1mc\u001B[22m',
    );
  });

  test('adds nothing to an empty text', () => {
    expect(colorStyle.bold('')).toBe('');
  });
});
