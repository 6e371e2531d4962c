import { expect, test } from 'vitest';
import {
  isLightColor,
  opensLinks,
  terminalColors,
  usesPromptMarks,
} from '../../../src/terminal/device/terminal-kind.ts';

test.each([
  [{ TERM: 'xterm-256color' }, false, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, false, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, true, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, true, false],
  [{ TERM: 'xterm-256color', VTE_VERSION: '4602' }, false, false],
  [{ KONSOLE_VERSION: '220401' }, true, false],
  [{ KONSOLE_VERSION: '230805' }, true, true],
  [{ TERM: 'xterm-kitty' }, true, true],
  [{ TERM: 'foot' }, true, true],
  [{ WT_SESSION: 'a' }, true, true],
  [{ TERM: 'screen', STY: 'a', TERM_PROGRAM: 'ghostty' }, false, false],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/a', TERM_PROGRAM: 'vscode' }, false, false],
])(
  'T6: the terminal of %j opens links: %s, uses the marks of prompts: %s',
  (environment, opens, uses) => {
    expect([opensLinks(environment), usesPromptMarks(environment)]).toEqual([opens, uses]);
  },
);

test('T6: FORCE_HYPERLINK decides whether the terminal opens links', () => {
  expect(opensLinks({ TERM: 'tmux-256color', TMUX: '/tmp/a', FORCE_HYPERLINK: '1' })).toBe(true);
  expect(opensLinks({ TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' })).toBe(false);
});

test.each([
  ['3.3a', false],
  ['3.10', true],
  ['next-3.5', true],
])('tmux %s uses the marks of prompts: %s', (version, uses) => {
  const tmux = { TERM: 'screen', TMUX: 'a', TERM_PROGRAM: 'tmux' };
  expect(usesPromptMarks({ ...tmux, TERM_PROGRAM_VERSION: version })).toBe(uses);
});

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
