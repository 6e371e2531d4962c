import { expect, test } from 'vitest';
import { windowWays, type WindowSettings } from '../../src/terminal/window.ts';

const automatic: WindowSettings = { notify: 'auto', progress: 'auto', title: 'auto' };
const xterm = { TERM: 'xterm-256color' };

test.each([
  ['xterm', xterm, 'bell'],
  ['iTerm2', { ...xterm, TERM_PROGRAM: 'iTerm.app' }, 'osc9'],
  ['iTerm2 over SSH', { ...xterm, LC_TERMINAL: 'iTerm2' }, 'osc9'],
  ['kitty', { TERM: 'xterm-kitty' }, 'osc9'],
  ['foot', { TERM: 'foot' }, 'osc777'],
  ['tmux in iTerm2', { TERM: 'tmux-256color', TMUX: '/tmp/t', LC_TERMINAL: 'iTerm2' }, 'bell'],
  ['the Linux console', { TERM: 'linux' }, 'bell'],
  ['a dumb terminal', { TERM: 'dumb' }, undefined],
])('notifies by default as %s can show it', (_, environment, notification) => {
  expect(windowWays(automatic, environment)).toMatchObject({ notification });
});

test.each([
  ['xterm', xterm, { progress: false, title: true }],
  ['Windows Terminal', { ...xterm, WT_SESSION: '1' }, { progress: true, title: false }],
  ['ConEmu', { ...xterm, ConEmuANSI: 'ON' }, { progress: true, title: false }],
  ['a new GNOME Terminal', { ...xterm, VTE_VERSION: '8000' }, { progress: true, title: true }],
  ['an old GNOME Terminal', { ...xterm, VTE_VERSION: '7600' }, { progress: false, title: true }],
  ['ghostty', { TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty' }, { progress: true, title: true }],
  ['Terminal.app', { ...xterm, TERM_PROGRAM: 'Apple_Terminal' }, { progress: false, title: false }],
  ['Konsole', { ...xterm, KONSOLE_VERSION: '231200' }, { progress: false, title: false }],
  ['tmux', { TERM: 'tmux-256color', TMUX: '/tmp/t' }, { progress: false, title: true }],
  ['screen', { TERM: 'screen', STY: '1.a' }, { progress: false, title: false }],
  ['the Linux console', { TERM: 'linux' }, { progress: false, title: false }],
  ['an unknown terminal', {}, { progress: false, title: false }],
])('writes by default only what %s understands and restores', (_, environment, ways) => {
  expect(windowWays(automatic, environment)).toMatchObject(ways);
});

test('follows the settings in place of the defaults', () => {
  const on = { notify: 'osc777', progress: 'on', title: 'on' } as const;
  const all = { notification: 'osc777', progress: true, title: true };
  expect(windowWays(on, { ...xterm, STY: '1.a' })).toEqual({ ...all, multiplexer: 'screen' });
  const off = { notify: 'off', progress: 'off', title: 'off' } as const;
  const none = { notification: undefined, progress: false, title: false, multiplexer: undefined };
  expect(windowWays(off, { TERM: 'xterm-kitty' })).toEqual(none);
});

test.each(['dumb', 'linux'])('writes no sequences to TERM=%s, whatever is set', (name) => {
  const on = { notify: 'osc9', progress: 'on', title: 'on' } as const;
  const ways = windowWays(on, { TERM: name });
  expect(ways).toMatchObject({ progress: false, title: false });
  expect(ways.notification).not.toBe('osc9');
});
