import { expect, test } from 'vitest';
import { opensLinks } from '../../../src/terminal/device/terminal-kind.ts';

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
