import { expect, test } from 'vitest';
import {
  isLightColor,
  opensLinks,
  terminalColors,
  usesPromptMarks,
} from '../../../src/terminal/device/terminal-kind.ts';

test.each([
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, true],
  [{ TERM: 'xterm-256color', VTE_VERSION: '4602' }, false],
  [{ TERM: 'xterm-256color', KONSOLE_VERSION: '230805' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ WT_SESSION: 'a' }, true],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/a', TERM_PROGRAM: 'vscode' }, false],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/a', FORCE_HYPERLINK: '1' }, true],
  [{ TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' }, false],
])('T6: the terminal of %j opens links: %s', (environment, opens) => {
  expect(opensLinks(environment)).toBe(opens);
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

test.each([
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, true],
  [{ TERM: 'foot' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ WT_SESSION: 'a' }, true],
  [{ KONSOLE_VERSION: '220401' }, false],
  [{ KONSOLE_VERSION: '230805' }, true],
  [{ TERM: 'screen', STY: 'a', TERM_PROGRAM: 'ghostty' }, false],
  [{ TERM: 'tmux-256color', TMUX: 'a', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.3a' }, false],
  [{ TERM: 'tmux-256color', TMUX: 'a', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.10' }, true],
  [{ TERM: 'screen', TMUX: 'a', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: 'next-3.5' }, true],
  [{ TERM: 'screen', TMUX: 'a', TERM_PROGRAM: 'WezTerm' }, false],
])('the terminal of %j uses the marks of prompts: %s', (environment, uses) => {
  expect(usesPromptMarks(environment)).toBe(uses);
});
