import { expect, test } from 'vitest';
import { isLightColor, terminalColors } from '../../../src/terminal/device/terminal-kind.ts';

test.each([
  [undefined, undefined],
  ['15;0', 'dark'],
  ['0;15', 'light'],
  ['0;default;7', 'light'],
  ['15;8', 'dark'],
  ['default;default', undefined],
  ['0;99', undefined],
])('COLORFGBG=%s is a background that is %s', (COLORFGBG, background) => {
  expect(terminalColors({ COLORFGBG }).background).toBe(background);
});

test.each([
  [{ TERM: 'xterm' }, false],
  [{ TERM: 'linux' }, false],
  [{ TERM: 'xterm-256color' }, true],
  [{ TERM: 'xterm', COLORTERM: 'truecolor' }, true],
  [{ WT_SESSION: 'a' }, true],
])('the terminal of %j has 256 colours: %s', (environment, hasMany) => {
  expect(terminalColors(environment).hasMany).toBe(hasMany);
});

test('a colour is light if black text is easier to read on it than white', () => {
  expect(isLightColor(1, 1, 1)).toBe(true);
  expect(isLightColor(0.99, 0.96, 0.89)).toBe(true);
  expect(isLightColor(0, 0.17, 0.21)).toBe(false);
  expect(isLightColor(0, 0, 0)).toBe(false);
});
